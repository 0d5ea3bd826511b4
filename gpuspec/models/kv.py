"""The KV cache of one sequence on each GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.models.catalog import KnownModel

# layers × 2 × heads × size; latent attention has layers × size.
_BY_HEADS = 4
_HEADS = 2
# Of a number that is kept: files in fewer bits than these may ask for a cache in fewer, too.
_FULL_BITS = 16


def cache_bits(model: KnownModel, dtype: str | None) -> int | None:
    """Return the minimum bits per cached value, by the server's cache type; None if unknown."""
    if dtype in (None, "auto"):
        return _FULL_BITS if model.precision.bits >= _FULL_BITS else _FULL_BITS // 2
    if dtype in ("bfloat16", "float16"):
        return _FULL_BITS
    return _FULL_BITS // 2 if str(dtype).startswith(("fp8", "int8")) else None


def sequence_bytes(
    model: KnownModel, tokens: int, bits: int, *, tensor: int = 1, pipeline: int = 1
) -> int:
    """Return the minimum bytes of a sequence's cache on each GPU; 0 if the model's shape is
    unknown.

    Tensor parallelism divides the heads, with at least one per GPU; a latent cache is whole on each
    GPU.
    """
    shares = pipeline
    if len(model.cache) == _BY_HEADS:
        shares *= min(tensor, model.cache[_HEADS])
    return model.values * tokens * bits // (8 * shares)
