"""The screens: each a pure function from the client's state and the terminal's size to lines."""
