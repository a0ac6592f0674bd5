"""Everything that was printed, kept."""
