"""What makes it happen: the worker of one session, the supervisor of many, and their ports."""
