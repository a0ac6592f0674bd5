"""Between a terminal and its shell."""
