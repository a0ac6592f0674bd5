"""How long a test waits for a fact before it fails. Only a lost fact reaches it, on the busiest machine too."""

PATIENCE = (
    120  # seconds; the run's own bound for a test (pyproject.toml) is above it, so that the wait says what it lacks
)
