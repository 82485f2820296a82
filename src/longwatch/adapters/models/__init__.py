"""Model providers: two wire protocols and the built-in rehearsal."""
