"""Rules for environment variables: names, references, and secrets in plain text."""

import re
from collections.abc import Iterator

from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import Path
from gpuspec.spec.containers import Env, EnvFrom, EnvSource
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation, exactly_one

# Names that hold a credential by the conventions of their tools. Deliberately narrow:
# MAX_TOTAL_TOKENS and the like are settings, and so are a tokenizer's special tokens.
_SECRET = r"(^|_)(API_?KEY|ACCESS_KEY|SECRET|SECRET_KEY|SECRET_ACCESS_KEY|PASSWORD|PASSWD|TOKEN)$"
_SPECIAL_TOKEN = (
    r"(^|_)(BOS|EOS|PAD|UNK|SEP|CLS|MASK|STOP|START|END|IMAGE|SPECIAL|PER|MAX|MIN)_TOKEN$"
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_FIELDS = (
    "metadata.annotations['<key>']",
    "metadata.labels['<key>']",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
_KEYED_FIELD = r"metadata\.(labels|annotations)\['[^'\s]{1,317}'\]"
_TAKEN = {
    "JOB_COMPLETION_INDEX": "the Job controller sets it to the pod's index",
    "NVIDIA_VISIBLE_DEVICES": (
        "the device plugin sets it to the pod's GPUs; another value uses GPUs of other pods"
    ),
}
# These values of NVIDIA_VISIBLE_DEVICES hide GPUs and never hand one out.
_NO_DEVICES = ("void", "none")


def is_variable_name(name: str) -> bool:
    """Return whether a string is a valid name of an environment variable."""
    return _NAME.fullmatch(name) is not None


def problems(env: Env, env_from: tuple[EnvFrom, ...], path: Path) -> Iterator[SpecViolation]:
    """Yield violations of the rules for one container's environment; `path` is the container's."""
    for name, value in env.items():
        yield from _variable(name, value, (*path, "env", name))
    for index, origin in enumerate(env_from):
        where = (*path, "envFrom", index)
        yield from exactly_one(origin, ("secret", "config_map"), where, "this entry")
        if origin.prefix is not None and not is_variable_name(origin.prefix):
            message = f"{shown(origin.prefix)} cannot start the name of an environment variable"
            yield SpecViolation(message, (*where, "prefix"))


def _variable(
    name: str, value: str | int | bool | EnvSource, path: Path
) -> Iterator[SpecViolation]:
    if not is_variable_name(name):
        yield SpecViolation(
            f"{shown(name)} is not a name for an environment variable",
            path,
            "use letters, digits, '_', '-' and '.'; do not begin with a digit",
            key=True,
        )
    if (reason := _TAKEN.get(name)) and value not in _NO_DEVICES:
        yield SpecViolation(f"a spec may not set `{name}`", path, reason, key=True)
    if isinstance(value, EnvSource):
        yield from _source(value, path)
    elif _is_credential(name.upper(), value):
        yield SpecViolation(
            f"`{name}` is a credential in plain text",
            path,
            f"reference it: {name}: {{secret: <name>, key: <key>}}",
        )


def _is_credential(name: str, value: str | int | bool) -> bool:
    if not re.search(_SECRET, name) or re.search(_SPECIAL_TOKEN, name) or isinstance(value, bool):
        return False
    # A reference to another variable holds nothing itself.
    return str(value) != "" and not re.fullmatch(r"\$\([^)]+\)", str(value))


def _source(source: EnvSource, path: Path) -> Iterator[SpecViolation]:
    yield from exactly_one(source, ("secret", "config_map", "field"), path, "this value")
    if source.field is None:
        if (source.secret or source.config_map) and not source.key:
            message = "`key` is missing"
            why = "name a key of the Secret or ConfigMap"
            yield SpecViolation(message, path, why, needs=((*path, "key"),))
        return
    for field, is_set in (("key", source.key is not None), ("optional", source.optional)):
        if is_set:
            yield SpecViolation(
                f"the downward API has no `{field}`", (*path, field), "delete it", key=True
            )
    if source.field not in _FIELDS[2:] and not re.fullmatch(_KEYED_FIELD, source.field):
        yield SpecViolation(
            f"{shown(source.field)} is not in the downward API",
            (*path, "field"),
            did_you_mean(source.field, _FIELDS, 0.75) or f"its fields are: {', '.join(_FIELDS)}",
        )
