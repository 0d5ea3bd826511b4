"""Schemas of custom kinds that users have: in folders that kubeconform reads too."""
