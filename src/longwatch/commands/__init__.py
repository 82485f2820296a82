"""What the command line can do, one module for each group of commands."""
