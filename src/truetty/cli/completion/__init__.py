"""`truetty completion`: scripts for the completion of shells, written from the table of commands."""
