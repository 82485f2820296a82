"""What fills the terminal: the panes together, and what opens over them."""
