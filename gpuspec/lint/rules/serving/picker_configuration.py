"""The configuration of an endpoint picker that names what is not there, or turns off what it is for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpuspec.lint.analysis.sharing.sharing import written_in
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import placeholder
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU820",
    "picker-configuration",
    "error",
    "An endpoint picker's configuration names a missing plugin, or disables one it needs",
)
_MARK = "schedulingProfiles"
_HANDLER = "profile-handler"
_SINGLE = "single-profile-handler"
_DECIDER = "prefix-based-pd-decider"
_TOKENS = "nonCachedTokens"
_ENDS = "the endpoint picker exits at startup"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield texts of ConfigMaps that are such a configuration."""
    for key, value in written_in(obj, _MARK):
        if isinstance(value.get(_MARK), list) and isinstance(value.get("plugins"), list):
            for inside, message, severe in _judge(value):
                yield RawFinding(
                    obj.path("data", key),
                    message,
                    severity=None if severe else "warning",
                    inside=inside,
                )


def _judge(value: dict[str, Any]) -> Iterator[tuple[Path, str, bool]]:
    """Yield what is wrong, where, and whether the picker ends at it."""
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
        yield (
            ("plugins", at, "type"),
            f"`{_SINGLE}` allows one profile, but there are {count}: {_ENDS}",
            True,
        )
    elif count > 1 and not any("handler" in type_ for type_ in types):
        yield (
            (_MARK,),
            (
                f"there are {count} profiles, but no plugin that chooses between them, such as "
                f"`disagg-profile-handler`: {_ENDS}"
            ),
            False,
        )
    for at, plugin in enumerate(plugins):
        yield from _parameters(("plugins", at), plugin, names)


def _twice(names: list[str]) -> Iterator[tuple[Path, str, bool]]:
    for name, times in Counter(filter(None, names)).items():
        if times > 1:
            second = names.index(name, names.index(name) + 1)
            yield ("plugins", second), f"two plugins are named `{name}`: {_ENDS}", True


def _profiles(value: dict[str, Any], names: list[str]) -> Iterator[tuple[Path, str, bool]]:
    for number, profile in enumerate(map(mapping, items(value.get(_MARK)))):
        for at, plugin in enumerate(map(mapping, items(profile.get("plugins")))):
            name = text(plugin.get("pluginRef"))
            if name and name not in names and not placeholder(name):
                yield (
                    (_MARK, number, "plugins", at, "pluginRef"),
                    f"no plugin is named `{name}`: {_ENDS}",
                    True,
                )


def _parameters(
    path: Path, plugin: dict[str, Any], names: list[str]
) -> Iterator[tuple[Path, str, bool]]:
    parameters = mapping(plugin.get("parameters"))
    if plugin.get("type") == _DECIDER and parameters.get(_TOKENS, 0) == 0:
        place = (*path, "parameters", _TOKENS) if _TOKENS in parameters else path
        yield (
            place,
            (
                f"`{_DECIDER}` is off unless `{_TOKENS}` is above 0: no request reaches the "
                "prefill servers, and their GPUs sit idle"
            ),
            False,
        )
    if _HANDLER in text(plugin.get("type")):
        for stage, name in mapping(parameters.get("deciders")).items():
            if isinstance(name, str) and name not in names and not placeholder(name):
                yield (
                    (*path, "parameters", "deciders", stage),
                    f"no plugin is named `{name}`: {_ENDS}",
                    True,
                )
