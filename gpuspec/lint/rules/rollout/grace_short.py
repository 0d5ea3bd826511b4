"""A grace period that is over before the shutdown that it is for."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gpuspec.lint.analysis.placement.interruption import spot_of
from gpuspec.lint.analysis.serving.grace import Grace, grace_of
from gpuspec.lint.analysis.serving.servers import gpu_workers, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.numbers import of_digits, read_whole
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU511",
    "grace-short",
    "error",
    "The grace period ends before the shutdown that it has to cover",
    fix="both",
)
MARGIN = 15
"""Seconds on top in the fix, for the process to end."""


class _Drain(NamedTuple):
    seconds: int
    words: str


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield `preStop` and the server's own drain against the grace period that both count in."""
    grace_period = grace_of(pod)
    written_grace, grace = grace_period.written, grace_period.seconds
    if not isinstance(grace, int) or isinstance(grace, bool):
        return
    for container in gpu_workers(pod):
        wait, sleeps = _pre_stop(container)
        if sleeps and wait > grace:
            yield RawFinding(
                container.path("lifecycle", "preStop", "sleep", "seconds"),
                f"`preStop` sleeps {wait} s, longer than the grace period of {grace} "
                f"s{' (the default)' if written_grace is None else ''}: the API server rejects the pod",
                fix=_fix(pod, grace_period, wait),
            )
            continue
        drain = _drain(container)
        needs = wait + (drain.seconds if drain else 0)
        if wait and grace > wait and (spot := spot_of(pod, context)) and wait >= spot.notice:
            yield RawFinding(
                container.path("lifecycle", "preStop"),
                f"`preStop` takes {wait} s, but a spot node is gone {spot.notice} s after its "
                "notice: the server never gets SIGTERM, and running requests are cut off",
                note=f"shorten `preStop` to less than {spot.notice} s{spot.reason}",
                related=spot.related(pod),
                severity="warning",
            )
            continue
        if needs < grace or needs == 0 or (needs == grace and drain is not None):
            continue
        parts = [f"`preStop` takes {wait} s"] if wait else []
        parts += [f"`{drain.words}` gives running requests {drain.seconds} s"] if drain else []
        yield RawFinding(
            pod.path(grace_period.field),
            f"{' and '.join(parts)}, but the pod is killed after {grace} "
            f"s{' (the default)' if written_grace is None else ''}: running requests are cut off",
            severity="warning",
            fix=_fix(pod, grace_period, needs),
        )


def _fix(pod: Pod, grace: Grace, needs: int) -> Fix:
    # A default that nobody chose gives way to times that somebody did.
    unset = grace.written is None
    change = Put(pod.path(grace.field), needs + MARGIN)
    return Fix(f"set `{grace.field}: {needs + MARGIN}`", (change,), safe=unset)


def _pre_stop(container: PodContainer) -> tuple[int, bool]:
    """Return seconds that `preStop` sleeps; and whether that is Kubernetes' own action."""
    hook = mapping(mapping(container.value.get("lifecycle")).get("preStop"))
    seconds = mapping(hook.get("sleep")).get("seconds")
    if isinstance(seconds, int) and not isinstance(seconds, bool):
        return seconds, True
    command = items(mapping(hook.get("exec")).get("command"))
    if not command:
        return 0, False
    words = " ".join(word for word in command if isinstance(word, str))
    return sum(map(of_digits, re.findall(r"\bsleep +([0-9]{1,6})\b", words))), False


def _drain(container: PodContainer) -> _Drain | None:
    """Return the server's configured drain time."""
    server = server_of(container)
    setting = None if server is None else server.shutdown.drain
    if setting is None:
        return None
    flag = container.words.flag(*setting.flags) if setting.flags else None
    if flag is not None and flag.number is not None:
        return _Drain(flag.number, flag.name)
    for entry in setting.environment:
        name = entry.partition("=")[0]
        value = read_whole(container.env_value(name))
        if value is not None:
            return _Drain(value, name)
    return None
