"""Compare images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.diff.model import ChangeRemark

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHOWN = 12
"""Number of digits of a digest in messages, as programs usually show."""


def remarks(name: str, old: str, new: str) -> Iterator[ChangeRemark]:
    """Yield the changes of a container's image."""
    if old == new or not (old and new):
        return
    (before, tag, digest), (after, new_tag, new_digest) = _parts(old), _parts(new)
    head = f"image of {name}"
    if before != after:
        yield ChangeRemark("image", f"{head}: {before} → {after}")
    if tag != new_tag:
        yield ChangeRemark("image", f"{head}: tag {tag or '(none)'} → {new_tag or '(none)'}")
    if digest and not new_digest:
        yield ChangeRemark("image", f"{head} is no longer pinned: its tag can move", alarm=True)
    elif new_digest and not digest:
        yield ChangeRemark("image", f"{head} is pinned to a digest")
    elif digest != new_digest:
        same = "" if before != after or tag != new_tag else ", under the same tag"
        shown = (image_digest.partition(":")[2][:_SHOWN] for image_digest in (digest, new_digest))
        yield ChangeRemark("image", f"{head}: digest {' → '.join(shown)}{same}")


def _parts(image: str) -> tuple[str, str, str]:
    """Return repository, tag and digest of an image reference."""
    rest, _, digest = image.partition("@")
    head, colon, tag = rest.rpartition(":")
    # A colon before a slash is a registry's port.
    if not colon or "/" in tag:
        return rest, "", digest
    return head, tag, digest
