"""`python -m truetty` is the same as `truetty`."""

from truetty.cli import main

main()
