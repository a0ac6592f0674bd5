"""How the line editors of bash, zsh and fish take a command: as if a person had typed it."""
