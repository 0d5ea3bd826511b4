"""An endpoint picker's configuration that names missing plugins, or disables its purpose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.enumeration import choice_of
from gpuspec.escaping.meant import meant
from gpuspec.lint.analysis.sharing.sharing import written_in
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.objects import Object
from gpuspec.runtimes.pickers import feature_gates, plugin_types

if TYPE_CHECKING:
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU820",
    "picker-configuration",
    "error",
    "An endpoint picker's configuration names a missing plugin, or disables one it needs",
)
_MARK = "schedulingProfiles"
_GATES = "featureGates"
_HANDLER = "profile-handler"
_SINGLE = "single-profile-handler"
_DECIDER = "prefix-based-pd-decider"
_TOKENS = "nonCachedTokens"
_ENDS = "the endpoint picker exits at startup"


class PickerFault(NamedTuple):
    """A fault in the configuration of an endpoint picker."""

    path: Path
    message: str
    note: str
    ends: bool = True
    """Whether the picker exits."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield texts of ConfigMaps that are such a configuration."""
    for key, value in written_in(obj, _MARK):
        if isinstance(value.get(_MARK), list) and isinstance(value.get("plugins"), list):
            for fault in _judge(value):
                yield RawFinding(
                    obj.path("data", key),
                    fault.message,
                    note=fault.note,
                    severity=None if fault.ends else "warning",
                    inside=fault.path,
                )


def _judge(value: dict[str, Any]) -> Iterator[PickerFault]:
    """Yield the faults, their paths, and whether the picker exits because of them."""
    plugins = list(map(mapping, items(value.get("plugins"))))
    # Who has no name is called as its type.
    names = [text(plugin.get("name")) or text(plugin.get("type")) for plugin in plugins]
    if any(map(placeholder, names)):
        return
    yield from _twice(names)
    yield from _profiles(value, names)
    types = [text(plugin.get("type")) for plugin in plugins]
    count = len(items(value.get(_MARK)))
    if count > 1 and _SINGLE in types:
        at = types.index(_SINGLE)
        yield PickerFault(
            ("plugins", at, "type"),
            f"`{_SINGLE}` allows one profile, but there are {count}: {_ENDS}",
            "keep one profile, or use a plugin that chooses between profiles",
        )
    elif count > 1 and not any("handler" in type_ for type_ in types):
        yield PickerFault(
            (_MARK,),
            f"there are {count} profiles, but no plugin chooses between them: {_ENDS}",
            "add a profile handler to `plugins`, such as `disagg-profile-handler`",
            ends=False,
        )
    yield from _misspelt(
        (*(("plugins", at, "type") for at in range(len(types))),), types, plugin_types()
    )
    gates = [text(gate).partition("=")[0] for gate in items(value.get(_GATES))]
    yield from _misspelt((*((_GATES, at) for at in range(len(gates))),), gates, feature_gates())
    yield from _pickers(value, names, types)
    for at, plugin in enumerate(plugins):
        yield from _parameters(("plugins", at), plugin, names)


def _misspelt(
    paths: tuple[Path, ...], words: list[str], names: tuple[str, ...]
) -> Iterator[PickerFault]:
    """Yield the words that resemble a known one; a custom picker may have others."""
    for path, word in zip(paths, words, strict=True):
        if word and word not in names and not placeholder(word):
            near = meant(word, names, 0.85)
            if len(near) == 1:
                yield PickerFault(
                    path,
                    f"no release of a picker has `{word}`: {_ENDS}",
                    f"write `{near[0]}`",
                    ends=False,
                )


def _pickers(value: dict[str, Any], names: list[str], types: list[str]) -> Iterator[PickerFault]:
    """Yield profiles with two plugins that pick the server."""
    picks = {name for name, type_ in zip(names, types, strict=True) if type_.endswith("-picker")}
    for number, profile in enumerate(map(mapping, items(value.get(_MARK)))):
        plugins = [mapping(plugin) for plugin in items(profile.get("plugins"))]
        places = [at for at, plugin in enumerate(plugins) if text(plugin.get("pluginRef")) in picks]
        if len(places) > 1:
            yield PickerFault(
                (_MARK, number, "plugins", places[1], "pluginRef"),
                f"the profile has {len(places)} pickers, but a profile takes one: {_ENDS}",
                "keep one picker in the profile",
            )


def _twice(names: list[str]) -> Iterator[PickerFault]:
    for name, times in Counter(filter(None, names)).items():
        if times > 1:
            second = names.index(name, names.index(name) + 1)
            message = f"two plugins are named `{name}`: {_ENDS}"
            yield PickerFault(("plugins", second), message, "give one of the two another `name`")


def _profiles(value: dict[str, Any], names: list[str]) -> Iterator[PickerFault]:
    for number, profile in enumerate(map(mapping, items(value.get(_MARK)))):
        for at, plugin in enumerate(map(mapping, items(profile.get("plugins")))):
            name = text(plugin.get("pluginRef"))
            if name and name not in names and not placeholder(name):
                path: Path = (_MARK, number, "plugins", at, "pluginRef")
                yield _unnamed(path, name, names)


def _parameters(path: Path, plugin: dict[str, Any], names: list[str]) -> Iterator[PickerFault]:
    parameters = mapping(plugin.get("parameters"))
    if plugin.get("type") == _DECIDER and parameters.get(_TOKENS, 0) == 0:
        place = (*path, "parameters", _TOKENS) if _TOKENS in parameters else path
        yield PickerFault(
            place,
            f"`{_DECIDER}` is off unless `{_TOKENS}` is above 0: no request reaches the prefill "
            "servers, and their GPUs sit idle",
            f"set `{_TOKENS}` to a threshold above 0: prompts with at least that many uncached tokens go to the prefill servers",
            ends=False,
        )
    if _HANDLER in text(plugin.get("type")):
        for stage, name in mapping(parameters.get("deciders")).items():
            if isinstance(name, str) and name not in names and not placeholder(name):
                yield _unnamed((*path, "parameters", "deciders", stage), name, names)


def _unnamed(path: Path, name: str, names: list[str]) -> PickerFault:
    """Return the fault of a reference that no plugin has as its name."""
    return PickerFault(path, f"no plugin is named `{name}`: {_ENDS}", f"write {choice_of(names)}")
