"""Ranks whose rendezvous host resembles one of their pods' names, but is not one."""

import re
from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.first_rank import addresses
from gpuspec.lint.analysis.gangs.pod_names import PodNames, names_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.numbers import is_digits
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU764",
    "rank-misnamed",
    "warning",
    "The rendezvous address is the name of a pod that the controller does not create",
)
_HOST = re.compile(r"[a-z0-9][-.a-z0-9]*")
_NEVER = "the ranks never find each other and hold their GPUs"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield addresses that begin with the object's own name, against the names of its pods."""
    owner = pod.object
    names = names_of(owner)
    if names is None or not owner.name or not (pod.has_gpu or pod.claims):
        return
    for host, path in addresses(pod):
        rank_name, _, rest = host.partition(".")
        if not _HOST.fullmatch(host) or context.collection.named(
            "", "Service", rank_name, owner.namespace
        ):
            continue
        fault = _wrong(owner, names, rank_name, rest.partition(".")[0])
        if fault is not None:
            yield RawFinding(
                path,
                f"{fault}: {_NEVER}",
                note=f"write `{names.first}`, the name of the first pod" if names.first else None,
                confidence="likely",
            )
            return


def _wrong(owner: Object, names: PodNames, rank_name: str, zone: str) -> str | None:
    if names.pattern and names.has(rank_name):
        if not names.zone or zone == names.zone:
            return None
        if zone:
            return f"`{rank_name}` is in DNS below `{names.zone}`, not below `{zone}`"
        return f"DNS has no name `{rank_name}` without a domain"
    # Others may be the names of Services that are made elsewhere.
    looks = rank_name.startswith(f"{owner.name}-") and is_digits(rank_name[-1:])
    if not looks:
        return None
    if names.why:
        # A pod may be called so, and have no name in DNS.
        return f"`{rank_name}` resolves to no pod of this {owner.kind} ({names.why})"
    return f"no pod of this {owner.kind} is named `{rank_name}`"
