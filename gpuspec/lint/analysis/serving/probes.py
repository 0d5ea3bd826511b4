"""Probes as numbers and text: their times, requests and ports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gpuspec.manifests.values import items, mapping, text
from gpuspec.numbers import read_whole
from gpuspec.objects.command_line import SHELLS
from gpuspec.objects.lazy import kept

if TYPE_CHECKING:
    from gpuspec.objects.containers import PodContainer

Kind = Literal["startup", "readiness", "liveness"]
KINDS: tuple[Kind, ...] = ("startup", "readiness", "liveness")
HANDLERS = ("httpGet", "tcpSocket", "exec", "grpc")

_DEFAULTS = {
    "initialDelaySeconds": 0,
    "periodSeconds": 10,
    "timeoutSeconds": 1,
    "failureThreshold": 3,
}
_TRUE = ("true", ":")
_SAYERS = ("echo", "printf", "sleep")
_FINDERS = ("pgrep", "pidof", "ps")
"""Programs that look for a process."""
_FILTERS = (
    "grep",
    "egrep",
    "fgrep",
    "awk",
    "wc",
    "head",
    "tail",
    "exit",
    "true",
    "false",
    "test",
    "[",
)
_JOINTS = re.compile(r"\|\|?|&&|;|\n")
_TO_NOWHERE = re.compile(r"[0-9]?>{1,2}\s*/dev/null|[0-9]>&[0-9]|&>\s*/dev/null")
_MEANING = set("&|;<>$`(")
"""Characters with a special meaning in a shell."""


class Times(msgspec.Struct, frozen=True):
    """A probe's numbers, in seconds and failures; Kubernetes' defaults if not set."""

    delay: int
    period: int
    timeout: int
    failures: int

    @property
    def patience(self) -> int:
        """Seconds without an answer that count as a failure."""
        return self.period * self.failures

    @property
    def budget(self) -> int:
        """The most seconds from the container's start to the last failure."""
        return self.delay + self.patience


@kept
def probes(container: PodContainer) -> tuple[tuple[Kind, dict[str, Any]], ...]:
    """Return a container's probes, by kind."""
    probes_by_kind = ((kind, container.probe(kind)) for kind in KINDS)
    return tuple((kind, probe) for kind, probe in probes_by_kind if probe is not None)


def times(probe: dict[str, Any]) -> Times | None:
    """Return a probe's numbers; None if one of them is invalid."""
    numbers: list[int] = []
    for name, default in _DEFAULTS.items():
        value = probe.get(name)
        # Kubernetes takes 0 for what is not there, where 0 has no meaning.
        value = default if value is None or value == 0 else value
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            return None
        numbers.append(value)
    return Times(*numbers)


def handler(probe: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Return a probe's handler and its fields; None if it has none, or several."""
    handlers = [name for name in HANDLERS if isinstance(probe.get(name), dict)]
    return (handlers[0], probe[handlers[0]]) if len(handlers) == 1 else None


def http_path(probe: dict[str, Any]) -> str | None:
    """Return the path of an HTTP probe, without its query; None for other probes."""
    get = probe.get("httpGet")
    if not isinstance(get, dict):
        return None
    return "/" + text(get.get("path")).partition("?")[0].strip("/")


def port_of(probe: dict[str, Any]) -> int | str | None:
    """Return the port of a probe, a number or a name; None if there is none."""
    handler_entry = handler(probe)
    port = None if handler_entry is None else handler_entry[1].get("port")
    number = read_whole(port)
    if number is not None:
        return number
    return port if isinstance(port, int | str) and not isinstance(port, bool) else None


def number_of(container: PodContainer, port: int | str | None) -> int | None:
    """Return a port's number, looked up by name if necessary."""
    if isinstance(port, int) or port is None:
        return port
    for container_port in container.ports:
        if container_port.get("name") == port and isinstance(
            container_port.get("containerPort"), int
        ):
            number: int = container_port["containerPort"]
            return number
    return None


def always_true(probe: dict[str, Any]) -> str | None:
    """Return the command of a probe that cannot fail, or None."""
    words = _command(probe)
    if not words:
        return None
    if _is_script(words):
        script = words[2].strip().rstrip(";")
        if _MEANING & set(script):
            return None
        inner = script.split()
        plain = inner in (["exit", "0"], ["exit"]) or (inner[:1] and _says(inner))
        return script if plain else None
    return " ".join(words) if _says(words) else None


def looks_for_process(probe: dict[str, Any]) -> str | None:
    """Return the command of a probe that only checks whether a process exists, or None."""
    words = _command(probe)
    if not words:
        return None
    if not _is_script(words):
        return " ".join(words) if _program(words) in ("pgrep", "pidof") else None
    script = words[2].strip()
    plain = _TO_NOWHERE.sub(" ", script)
    if set(plain) & set("<>`(") or "$(" in plain:
        return None
    programs = [_program(command.split()) for command in _JOINTS.split(plain) if command.strip()]
    if not all(program in _FINDERS or program in _FILTERS for program in programs):
        return None
    return script if any(program in _FINDERS for program in programs) else None


def _command(probe: dict[str, Any]) -> list[str]:
    """Return the words of a probe's command; empty if one of them is not a text."""
    command = items(mapping(probe.get("exec")).get("command"))
    words = [word for word in command if isinstance(word, str)]
    return words if len(words) == len(command) else []


def _is_script(words: list[str]) -> bool:
    return _program(words) in SHELLS and len(words) == 3 and words[1].endswith("c")


def _program(words: list[str]) -> str:
    return words[0].rpartition("/")[2]


def _says(words: list[str]) -> bool:
    return words[0].rpartition("/")[2] in (*_TRUE, *_SAYERS)
