"""How long a test waits for a fact before it fails. Only a lost fact reaches it, on the busiest machine too."""

import os

# Seconds. The bound of a whole test (pyproject.toml) is above it, so that a failed wait can say what did not come.
# A shorter one tells the author of a recipe sooner.
PATIENCE = int(os.environ.get("TRUETTY_TEST_PATIENCE", "300"))
