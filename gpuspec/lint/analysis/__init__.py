"""What rules ask about: one subject a file, in folders as the rules are in families."""
