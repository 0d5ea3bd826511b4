"""Output for users and programs: one file for each format, with pure functions that return text."""
