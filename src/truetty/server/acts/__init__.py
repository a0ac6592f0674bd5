"""The verbs, carried out."""
