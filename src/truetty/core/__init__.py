"""The pure floor: bytes and observations in, values out. No clock, no descriptor, no event loop."""
