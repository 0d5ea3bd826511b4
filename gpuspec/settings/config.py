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
    """The facts in the configuration."""

    models: dict[str, Quantity] = {}
    """Bytes of a model's weights, by its name in the hub."""
    images: dict[str, tuple[str, ...]] = {}
    """The requirements of an image, by its repository: `shm`, `root`, `home` …"""
    schemas: Words = ()
    """The places of schemas of custom kinds, as templates of paths."""


class PathSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings for the files that match a pattern."""

    select: Annotated[Words, Meta(description="Rules to add for these files.")] = ()
    ignore: Annotated[Words, Meta(description="Rules to skip for these files.")] = ()
    severities: Annotated[
        dict[str, Severity], Meta(description=("Severities of rules for these files."))
    ] = {}


class Config(msgspec.Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """The linter's settings of a repository. Rules are named by code, by the beginning of codes, or
    by name; once read, only by codes.
    """

    select: Annotated[Words, Meta(description="Rules to run. Default: all.")] = ("GPU",)
    ignore: Annotated[
        Words,
        Meta(
            description=(
                "Rules to skip. If `select` and `ignore` both match a rule, the longer word counts."
            )
        ),
    ] = ()
    severities: Annotated[
        dict[str, Severity], Meta(description=("Severities of rules, in place of their defaults."))
    ] = {}
    per_path: Annotated[
        dict[str, PathSettings],
        Meta(
            description=(
                "Settings for some files, by pattern, relative to the configuration's folder."
            )
        ),
    ] = {}
    exclude: Annotated[
        Words,
        Meta(
            description=(
                "Files and folders that `lint` and `table` skip, by pattern, relative to the "
                "configuration's folder. Paths that the user names are read all the same."
            )
        ),
    ] = ()
    force_exclude: Annotated[
        bool,
        Meta(description=("Whether a pattern of `exclude` also skips paths that the user names.")),
    ] = False
    pod_paths: Annotated[
        dict[str, Words],
        Meta(
            description=(
                "Where custom kinds (`example.com/Kind`) keep the parent of `containers`: "
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
            description=("The requirements of an image, by its repository: `shm`, `root`, `home` …")
        ),
    ] = {}
    schema_locations: Annotated[
        Words | None,
        Meta(
            description=(
                "Where schemas of custom kinds are: folders, or templates of paths like "
                "kubeconform's. `--schema-location` overrides it. Default: the nearest folder "
                "`.gpuspec/schemas`."
            )
        ),
    ] = None
    profile: Annotated[
        str | None,
        Meta(description="The cluster profile: a file, or a built-in name. `-c` overrides it."),
    ] = None
    baseline: Annotated[
        str | None,
        Meta(description=("The file of known findings. `--baseline` overrides it.")),
    ] = None
    required_version: Annotated[
        str | None, Meta(description="Versions of gpuspec that may read this: `>=1.2,<2`.")
    ] = None


class FoundConfig(msgspec.Struct, frozen=True):
    """A configuration, and its location."""

    config: Config = Config()
    file: str = ""
    """Empty if there is none."""
    folder: str = ""
    """The absolute folder that its paths are relative to."""
    schemas: Words = ()
    """The places of schemas of custom kinds, relative to here."""

    def selection(self, select: Words = (), ignore: Words = ()) -> RuleSelection:
        """Return the selected rules: a selection on the command line overrides the configuration's."""
        return RuleSelection(select or self.config.select, (*self.config.ignore, *ignore))

    @property
    def baseline(self) -> str | None:
        """Return the baseline that it names, relative to here."""
        name = self.config.baseline
        return None if name is None else os.path.relpath(os.path.join(self.folder, name))

    @property
    def tells(self) -> bool:
        """Whether it has facts, or changes severities of rules."""
        config = self.config
        louder = config.severities or any(
            settings.severities for settings in config.per_path.values()
        )
        return bool(config.models or config.images or louder or self.schemas)

    def excludes(self, forced: bool = False) -> Exclude:
        """Return the patterns to skip; with `forced`, named paths are no exception."""
        config = self.config
        named = forced or config.force_exclude
        return Exclude(config.exclude, self.folder, self.file, named)

    def facts(self) -> Facts:
        """Return the facts in it."""
        from gpuspec.manifests import Quantity

        models = {name: Quantity.parse(size) for name, size in self.config.models.items()}
        return Facts(models, dict(self.config.images), self.schemas)

    def here(self, path: str) -> list[PathSettings]:
        """Return the settings for a file, given relative to the configuration's folder."""
        return [settings for glob, settings in self.config.per_path.items() if matches(glob, path)]
