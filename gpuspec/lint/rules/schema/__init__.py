"""Fields, values, names and keys."""
