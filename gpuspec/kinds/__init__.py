"""The table of Kubernetes kinds: one record for each kind, one file for each project.

A fact that several rules, commands or hosts need is a field of the record. A fact that one caller
needs stays with this caller.
"""

from gpuspec.kinds.identity import Identity, ObjectIdentity, an, apply_order, identity
from gpuspec.kinds.model import Flat, Kind, Life, PodGroupKind
from gpuspec.kinds.pods import (
    PodPath,
    inner_objects,
    mappings_at,
    pod_paths,
    pods_anywhere,
    values_at,
)
from gpuspec.kinds.table import guessed, kind_of, kinds, pod_labels, scalable_kinds, traits_of

__all__ = [
    "Flat",
    "Identity",
    "Kind",
    "Life",
    "ObjectIdentity",
    "PodGroupKind",
    "PodPath",
    "an",
    "apply_order",
    "guessed",
    "identity",
    "inner_objects",
    "kind_of",
    "kinds",
    "mappings_at",
    "pod_labels",
    "pod_paths",
    "pods_anywhere",
    "scalable_kinds",
    "traits_of",
    "values_at",
]
