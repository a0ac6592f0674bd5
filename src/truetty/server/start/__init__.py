"""From nothing to a server that runs: its place, its lock, its process."""
