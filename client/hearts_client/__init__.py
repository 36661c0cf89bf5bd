"""Hearts in the terminal: the full screen, plain words, and the command line."""
