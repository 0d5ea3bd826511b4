"""GPU0xx: what cannot be read, and what is said to the linter itself."""
