"""From a program's bytes to text an agent can read. Pure, streaming, safe at every cut."""
