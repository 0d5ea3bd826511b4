"""Images that are built for one vendor's devices."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache

from gpuspec.hardware.tables import table


def built_for(image: str) -> str | None:
    """Return the vendor for whose devices an image is built; None if it is for several or none, or
    unknown.

    It is recognised by the last parts of its repository, so that a mirror does not matter, and by
    its tag; a digest tells nothing.
    """
    name = image.partition("@")[0]
    path, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    parts = f"{path}{slash}{last}".split("/")
    for vendor, patterns, wanted_tag in _patterns():
        suits = not wanted_tag or fnmatchcase(tag, wanted_tag)
        if (
            suits
            and len(parts) >= len(patterns)
            and all(map(fnmatchcase, parts[-len(patterns) :], patterns))
        ):
            return vendor
    return None


@cache
def _patterns() -> tuple[tuple[str, tuple[str, ...], str], ...]:
    """Return vendor, parts of the repository and tag; entries with a tag come first, NVIDIA's last
    among them."""
    rows = [
        (entry["name"], tuple(repository.split("/")), tag)
        for entry in reversed(table("vendors")["vendors"])
        for repository, _, tag in (
            pattern.partition(":") for pattern in entry.get("images", {}).get("names", ())
        )
    ]
    return tuple(sorted(rows, key=lambda row: not row[2]))


def instead_of_cpu_build(image: str) -> str | None:
    """Return the GPU image that replaces a CPU-only image; None for any other image."""
    name = image.partition("@")[0]
    path, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    repository = f"{path}{slash}{last}"
    for row in table("cpu-images")["images"]:
        of_it = f"/{repository}".endswith(f"/{row['repository']}")
        excepted = any(fnmatchcase(tag, pattern) for pattern in row.get("but", ()))
        if of_it and not excepted and any(fnmatchcase(tag, pattern) for pattern in row["tags"]):
            gpu_image: str = row["instead"]
            return gpu_image
    return None
