"""Terminals shared by many callers, and the verbs that every surface offers."""
