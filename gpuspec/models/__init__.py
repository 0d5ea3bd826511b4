"""Facts about models: size, storage format, and need for GPU memory."""

from gpuspec.models.catalog import KnownModel, known_model, known_models
from gpuspec.models.files import StoredModel, cache_type_bits, in_library, stored
from gpuspec.models.gated import is_gated
from gpuspec.models.kv import cache_bits, sequence_bytes
from gpuspec.models.names import NameFacts, read_name
from gpuspec.models.precision import Precision, precisions
from gpuspec.models.quantization import Method, methods
from gpuspec.models.weights import ModelWeights, published_weights, said_weights, weights_of

__all__ = [
    "KnownModel",
    "Method",
    "ModelWeights",
    "NameFacts",
    "Precision",
    "StoredModel",
    "cache_bits",
    "cache_type_bits",
    "in_library",
    "is_gated",
    "known_model",
    "known_models",
    "methods",
    "precisions",
    "published_weights",
    "read_name",
    "said_weights",
    "sequence_bytes",
    "stored",
    "weights_of",
]
