"""`truetty attach`: a terminal of the server, on the terminal that a person is at."""
