"""The user's own schemas of custom kinds, in folders that kubeconform reads too."""
