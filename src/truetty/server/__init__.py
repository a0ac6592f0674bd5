"""The process that owns terminals for many callers, and the wire by which they reach it."""
