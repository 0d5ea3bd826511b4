"""Charts: what a known one makes of its values, so that the pods in a release can be judged."""
