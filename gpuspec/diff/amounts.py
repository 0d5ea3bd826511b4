"""Compare the resources that workloads request."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from gpuspec.diff import amount_text
from gpuspec.diff.amount_text import CPU, MEMORY
from gpuspec.diff.model import Amount, ChangeRange, ChangeRemark, Total

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.diff.model import PodUse, SideObject

NOTHING = ChangeRange(Fraction(0), Fraction(0))
Pods = tuple["PodUse | None", "PodUse | None"]


def pairs(old: SideObject | None, new: SideObject | None) -> list[Pods]:
    """Return matching kinds of pods of two objects: by role, the remaining ones by order."""
    before, after = [*(old.pods if old else ())], [*(new.pods if new else ())]
    pod_pairs: list[Pods] = []
    for pod_use in [*after]:
        same = next((candidate for candidate in before if candidate.role == pod_use.role), None)
        if same is not None:
            pod_pairs.append((same, pod_use))
            before.remove(same)
            after.remove(pod_use)
    while before or after:
        pod_pairs.append((before.pop(0) if before else None, after.pop(0) if after else None))
    return pod_pairs


def amounts(old: SideObject | None, new: SideObject | None) -> list[Amount]:
    """Return differences between the requests of two objects, devices first."""
    return [amount for pods in pairs(old, new) for amount in _of(*pods)]


def _of(old: PodUse | None, new: PodUse | None) -> Iterator[Amount]:
    names = dict.fromkeys((*(old.each if old else ()), *(new.each if new else ())))
    unread = {name for pod_use in (old, new) if pod_use for name, _ in _unread(pod_use)}
    for name in _ordered(names):
        if name in unread:
            continue
        per_pod = tuple(
            pod_use.each.get(name, Fraction(0)) if pod_use else Fraction(0)
            for pod_use in (old, new)
        )
        spans = [NOTHING if pod_use is None else _span(pod_use, name) for pod_use in (old, new)]
        before, after = spans
        total = None if before is None or after is None else (before, after)
        if per_pod[0] != per_pod[1] or (total is not None and total[0] != total[1]):
            role = (new or old).role  # type: ignore[union-attr]
            yield Amount(role, name, (per_pod[0], per_pod[1]), total)


def _unread(pod: PodUse) -> Iterator[tuple[str, str]]:
    """Yield the resources with a value that is no quantity, as written."""
    for _, container in pod.containers:
        resources = container.get("resources")
        for field in ("requests", "limits"):
            rows = resources.get(field) if isinstance(resources, dict) else None
            for name, value in rows.items() if isinstance(rows, dict) else ():
                if not _is_amount(value):
                    yield str(name), str(value)


def _is_amount(value: object) -> bool:
    from gpuspec.manifests import Quantity

    if value is None:
        return True
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return False
    try:
        return Quantity.parse(value).value >= 0
    except ValueError:
        return False


def _span(pod: PodUse, name: str) -> ChangeRange | None:
    if pod.least is None:
        return None
    per_pod = pod.each.get(name, Fraction(0))
    return ChangeRange(per_pod * pod.least, None if pod.most is None else per_pod * pod.most)


def _ordered(names: Iterable[str]) -> list[str]:
    """Return devices by name, then CPU, then memory."""
    last = (CPU, MEMORY)
    return sorted(names, key=lambda name: (last.index(name) + 1 if name in last else 0, name))


def remarks(old: SideObject | None, new: SideObject | None) -> Iterator[ChangeRemark]:
    """Yield `GPUs 4 → 8 a replica, +16 in all` for each resource, after the number of pods."""
    several = max(len(obj.pods) if obj else 0 for obj in (old, new)) > 1
    for pods in pairs(old, new):
        head = f"{(pods[1] or pods[0]).role}: " if several else ""  # type: ignore[union-attr]
        yield from (
            ChangeRemark(change_remark.about, head + change_remark.text, change_remark.alarm)
            for change_remark in _count(*pods)
        )
        was, now = ([*dict.fromkeys(_unread(pod))] if pod else [] for pod in pods)
        for name, value in now:
            if (name, value) not in was:
                text = (
                    f"{amount_text.resource(name)}: `{value}` is not a quantity and is not counted"
                )
                yield ChangeRemark("amounts", head + text, alarm=True)
        if pods[0] is None or pods[1] is None:
            continue
        changed = [*_of(*pods)]
        unit = "a replica" if new is not None and new.serves else "a pod"
        names = [amount_text.resource(amount.resource) for amount in changed]
        for amount in changed:
            name = amount_text.resource(amount.resource)
            if names.count(name) > 1:
                name += f" ({amount.resource})"
            yield ChangeRemark("amounts", head + _sentence(amount, name, unit))


def charts(side_object: SideObject) -> tuple[ChangeRemark, ...]:
    """Return a remark that the pods of a Helm release are not counted; nothing for other
    objects."""
    if not side_object.is_release:
        return ()
    text = (
        "gpuspec neither compares nor counts the objects of its chart: compare the output of "
        "`helm template`"
    )
    return (ChangeRemark("amounts", text),)


def _count(old: PodUse | None, new: PodUse | None) -> Iterator[ChangeRemark]:
    """Yield the change in the number of pods, and who sets it."""
    if old is None or new is None:
        return
    if (old.least, old.most) != (new.least, new.most) and None not in (old.least, new.least):
        before, after = (
            amount_text.between(pod_use.least or 0, pod_use.most) for pod_use in (old, new)
        )
        moved = f", scaled by {new.by}" if new.by else ""
        yield ChangeRemark("replicas", f"pods {before} → {after}{moved}")
    if old.by and not new.by:
        yield ChangeRemark("autoscaler", f"{old.by} no longer scales it")


def _sentence(amount: Amount, name: str, unit: str) -> str:
    gap = amount_text.gap(amount.resource, *amount.total) if amount.total is not None else None
    in_all = f"{gap} in all" if gap else ""
    if amount.each[0] == amount.each[1]:
        return f"{name} {in_all}"
    before, after = (amount_text.amount(amount.resource, value) for value in amount.each)
    return f"{name} {before} → {after} {unit}{f', {in_all}' if in_all else ''}"


def asked(side_object: SideObject) -> str:
    """Return the requests of a whole object: `8 GPUs, 64 CPU, 256Gi memory in 2 pods`; empty
    without any."""
    sums, least, most = _sums([side_object])
    parts = [
        f"{amount_text.span(name, span)} {amount_text.resource_of(name, span)}"
        for name, span in ((name, sums[name]) for name in _ordered(sums))
    ]
    if not parts:
        return ""
    count = amount_text.between(least, most)
    return f"{', '.join(parts)} in {count} pod{'' if count == '1' else 's'}"


def totals(old: Iterable[SideObject], new: Iterable[SideObject]) -> tuple[Total, ...]:
    """Return the requests of all objects on both sides, for the resources that differ.

    No sum for a resource with a value that is no quantity.
    """
    old, new = [*old], [*new]
    pods = (pod for obj in (*old, *new) for pod in obj.pods)
    unread = {name for pod in pods for name, _ in _unread(pod)}
    before, after = _sums(old)[0], _sums(new)[0]
    pairs = (
        Total(name, before.get(name, NOTHING), after.get(name, NOTHING))
        for name in _ordered(before | after)
        if name not in unread
    )
    return tuple(pair for pair in pairs if pair.old != pair.new)


def _sums(things: Iterable[SideObject]) -> tuple[dict[str, ChangeRange], int, int | None]:
    """Return the requests of objects by resource, and their pods, without pods of unknown
    number."""
    change_ranges: dict[str, ChangeRange] = {}
    least, most = 0, 0
    bounded = True
    for thing in things:
        for pod in thing.pods:
            if pod.least is None:
                continue
            least += pod.least
            bounded = bounded and pod.most is not None
            most += pod.most or 0
            for name in pod.each:
                span, so_far = _span(pod, name), change_ranges.get(name, NOTHING)
                if span is not None:
                    end = None if None in (span.most, so_far.most) else _add(so_far, span)
                    change_ranges[name] = ChangeRange(so_far.least + span.least, end)
    return change_ranges, least, most if bounded else None


def _add(change_range: ChangeRange, addend: ChangeRange) -> Fraction:
    return (change_range.most or Fraction(0)) + (addend.most or Fraction(0))
