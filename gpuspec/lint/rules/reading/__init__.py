"""Reading, and suppressions."""
