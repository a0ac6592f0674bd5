"""One shell: a command in, an outcome out."""
