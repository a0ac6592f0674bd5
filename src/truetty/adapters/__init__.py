"""Drop-ins for agent frameworks: one file each, imported by name (`from truetty.adapters.swerex import …`).

Rule 1: a file imports its framework and nothing else that truetty does not bring. This package imports none of them.
Rule 2: what a framework says of a time-out, an exit code or an error is kept to, by its own classes.
Rule 3: frameworks that call from threads, or on a new event loop for each action, get terminals of `truetty.sync`.
"""
