"""One file a recipe, one row a shell. README.md here says how each is entered and what it cannot do."""
