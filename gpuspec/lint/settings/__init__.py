"""What is wanted of a run: the configuration, and which rules are said how loud."""
