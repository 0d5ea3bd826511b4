"""Reading and writing Kubernetes YAML: documents, paths and places; quantities and durations."""

from gpuspec.manifests.documents import Document
from gpuspec.manifests.durations import format_duration, parse_duration
from gpuspec.manifests.names import (
    dns_1035_label,
    dns_label,
    dns_subdomain,
    label_key,
    label_value,
)
from gpuspec.manifests.paths import Path, format_path, parse_path
from gpuspec.manifests.problems import NO_MEANING, NO_NUMBER, InputError, Place, Problem
from gpuspec.manifests.quantities import Quantity, parse_quantity
from gpuspec.manifests.reader import read, read_chunk
from gpuspec.manifests.sources import Chunk, SourceFile, decode, split
from gpuspec.manifests.writer import write

__all__ = [
    "NO_MEANING",
    "NO_NUMBER",
    "Chunk",
    "Document",
    "InputError",
    "Path",
    "Place",
    "Problem",
    "Quantity",
    "SourceFile",
    "decode",
    "dns_1035_label",
    "dns_label",
    "dns_subdomain",
    "format_duration",
    "format_path",
    "label_key",
    "label_value",
    "parse_duration",
    "parse_path",
    "parse_quantity",
    "read",
    "read_chunk",
    "split",
    "write",
]
