"""The configuration: `.gpuspec.yaml`, or `[tool.gpuspec]` of `pyproject.toml`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from gpuspec.loading.globs import matches
from gpuspec.loading.left_out import Exclude
from gpuspec.settings.selection import RuleSelection
from gpuspec.settings.severity import Severity

if TYPE_CHECKING:
    from gpuspec.manifests import Quantity

Words = tuple[str, ...]


class Facts(msgspec.Struct, frozen=True):
    """What the configuration tells beside the manifests."""

    models: dict[str, Quantity] = {}
    """Bytes of a model's weights, by its name in the hub."""
    images: dict[str, tuple[str, ...]] = {}
    """What an image is known to need, by its repository: `shm`, `root`, `home` …"""
    schemas: Words = ()
    """Where schemas of custom kinds are, as templates of paths."""


class PathSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is different for the files that a pattern means."""

    select: Annotated[Words, Meta(description="Rules that are wanted there too.")] = ()
    ignore: Annotated[Words, Meta(description="Rules that are not wanted there.")] = ()
    severities: Annotated[dict[str, Severity], Meta(description="How loud rules are there.")] = {}


class Config(msgspec.Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """What a repository says of how it is linted. Rules are named by code, by its beginning, or by
    name; once read, by codes alone."""

    select: Annotated[Words, Meta(description="Rules that are wanted; all unless given.")] = (
        "GPU",
    )
    ignore: Annotated[
        Words,
        Meta(
            description=(
                "Rules that are not wanted. Of `select` and `ignore` the longer word counts."
            )
        ),
    ] = ()
    severities: Annotated[dict[str, Severity], Meta(description="How loud rules are here.")] = {}
    per_path: Annotated[
        dict[str, PathSettings],
        Meta(
            description=(
                "What is different for some files, by pattern, relative to the configuration's "
                "folder."
            )
        ),
    ] = {}
    exclude: Annotated[
        Words,
        Meta(
            description=(
                "Files and folders that `lint` and `table` do not read, by pattern, relative to "
                "the configuration's folder. What is named is read all the same."
            )
        ),
    ] = ()
    force_exclude: Annotated[
        bool,
        Meta(
            description=(
                "Whether what is named is left out too where a pattern of `exclude` means it."
            )
        ),
    ] = False
    pod_paths: Annotated[
        dict[str, Words],
        Meta(
            description=(
                "Where custom kinds (`example.com/Kind`) keep what holds `containers`: "
                "`spec.template.spec`, with `*` for every item."
            )
        ),
    ] = {}
    models: Annotated[
        dict[str, str],
        Meta(
            description=(
                "Size of a model's weights by its name in the hub, as a quantity: `140Gi`."
            )
        ),
    ] = {}
    images: Annotated[
        dict[str, Words],
        Meta(
            description=(
                "What an image is known to need, by its repository: `shm`, `root`, `home` …"
            )
        ),
    ] = {}
    schema_locations: Annotated[
        Words | None,
        Meta(
            description=(
                "Where schemas of custom kinds are: folders, or templates of paths as kubeconform "
                "has them. `--schema-location` takes their place; unless given, the nearest folder"
                " `.gpuspec/schemas`."
            )
        ),
    ] = None
    profile: Annotated[
        str | None,
        Meta(description="The cluster profile: a file, or a built-in name. `-c` takes its place."),
    ] = None
    baseline: Annotated[
        str | None,
        Meta(
            description=(
                "The file with the findings that are known already. `--baseline` takes its place."
            )
        ),
    ] = None
    required_version: Annotated[
        str | None, Meta(description="Versions of gpuspec that may read this: `>=1.2,<2`.")
    ] = None


class FoundConfig(msgspec.Struct, frozen=True):
    """A configuration, and where it was found."""

    config: Config = Config()
    file: str = ""
    """Empty where there is none."""
    folder: str = ""
    """The absolute folder that its paths are relative to."""
    schemas: Words = ()
    """Where schemas of custom kinds are, seen from here."""

    def selection(self, select: Words = (), ignore: Words = ()) -> RuleSelection:
        """Return what is wanted: a selection on the command line takes the configuration's
        place."""
        return RuleSelection(select or self.config.select, (*self.config.ignore, *ignore))

    @property
    def baseline(self) -> str | None:
        """The baseline that it names, as seen from here."""
        name = self.config.baseline
        return None if name is None else os.path.relpath(os.path.join(self.folder, name))

    @property
    def tells(self) -> bool:
        """Whether it tells anything beside the manifests, or makes rules louder or softer."""
        config = self.config
        louder = config.severities or any(
            settings.severities for settings in config.per_path.values()
        )
        return bool(config.models or config.images or louder or self.schemas)

    def excludes(self, forced: bool = False) -> Exclude:
        """Return what is not to be read; `forced` where what is named is no exception."""
        config = self.config
        named = forced or config.force_exclude
        return Exclude(config.exclude, self.folder, self.file, named)

    def facts(self) -> Facts:
        """Return what it tells beside the manifests."""
        from gpuspec.manifests import Quantity

        models = {name: Quantity.parse(size) for name, size in self.config.models.items()}
        return Facts(models, dict(self.config.images), self.schemas)

    def here(self, path: str) -> list[PathSettings]:
        """Return the settings for a file, given relative to the configuration's folder."""
        return [settings for glob, settings in self.config.per_path.items() if matches(glob, path)]
