"""Kaito: its operator chooses image and nodes for a model's preset. Source: its CRDs."""

from gpuspec.kinds.parts import served

KINDS = tuple(served("kaito.sh", name) for name in ("Workspace", "InferenceSet", "RAGEngine"))
