"""Rules, one module each, in a folder for each family; each has its page beside it."""
