"""What outlives the server: the journal, and what is in it."""
