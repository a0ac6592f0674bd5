"""The client of a server: `truetty.connect(where)`. What it gives is a registry, with terminals that are elsewhere."""
