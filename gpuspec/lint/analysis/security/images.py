"""Image references: their registry, and whether they are immutable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOVING = (
    "canary",
    "dev",
    "develop",
    "edge",
    "head",
    "latest",
    "main",
    "master",
    "nightly",
    "stable",
    "snapshot",
)


class ImageReference(msgspec.Struct, frozen=True):
    """The parts of a reference."""

    repository: str
    """With its registry; Docker Hub's images begin with `docker.io`."""
    tag: str
    digest: str

    @property
    def moves(self) -> str | None:
        """Why another image may get the name later, or None."""
        if self.digest:
            return None
        if not self.tag:
            return "has no tag, which means `latest`"
        words = self.tag.lower().replace("_", "-").replace(".", "-").split("-")
        moving = next((word for word in words if word in _MOVING), None)
        # A date or a commit behind the word makes it one build.
        if moving is None or any(_is_build(word) for word in words):
            return None
        return f"has the mutable tag `{self.tag}`"

    @property
    def waits(self) -> bool:
        """Whether it is Kubernetes' pause image, or a copy of it."""
        return self.repository.rpartition("/")[2] == "pause"

    def is_from(self, registries: Sequence[str]) -> bool:
        """Return whether it is in one of these registries, or folders of them."""
        name = self.repository + "/"
        short = name.removeprefix("docker.io/").removeprefix("library/")
        return any(
            name.startswith(f"{registry}/") or short.startswith(f"{registry}/")
            for registry in registries
        )


def image_of(text: str) -> ImageReference | None:
    """Return an image's reference; None if it is empty or a placeholder."""
    whole = text.strip()
    if not whole or "$" in whole or "{" in whole or "<" in whole:
        return None
    name, _, digest = whole.partition("@")
    folder, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    repository = f"{folder}{slash}{last}"
    host = repository.partition("/")[0]
    if "/" not in repository or not ("." in host or ":" in host or host == "localhost"):
        repository = f"docker.io/{repository if '/' in repository else f'library/{repository}'}"
    return ImageReference(repository, tag, digest)


def _is_build(word: str) -> bool:
    return len(word) >= 6 and all(sign in "0123456789abcdef" for sign in word)
