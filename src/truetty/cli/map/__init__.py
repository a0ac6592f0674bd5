"""`truetty map`."""
