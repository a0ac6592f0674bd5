"""One file a shell, one table over them. README.md here says how each is entered and what it cannot do."""
