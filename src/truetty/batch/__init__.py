"""Many tasks, each in a terminal of its own: `registry.map(tasks)`."""
