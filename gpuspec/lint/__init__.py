"""The linter: rules over Kubernetes objects and specs, and what they find."""
