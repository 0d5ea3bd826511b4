"""The submission of a RayJob, and its deletions at the end.

Source: github.com/ray-project/kuberay v1.6.2, ray-operator/controllers/ray/utils/validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests import InputError, read
from gpuspec.validation.apiserver.reading import inner, maps, refused
from gpuspec.validation.violation import placed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map
    from gpuspec.validation.violation import SchemaViolation

_SELECTED = "ray.io/cluster"
_ORDER = ("DeleteWorkers", "DeleteCluster", "DeleteSelf")
_OF_CLUSTERS = ("DeleteWorkers", "DeleteCluster")
_ENDS = ("onSuccess", "onFailure")
_DELETION = ("deletionStrategy",)


def job(spec: Map) -> Iterator[SchemaViolation]:
    """Check a RayJob's spec, without its cluster; paths are from the spec."""
    for violation in (*_selected(spec), *_submitted(spec), *_deleted(spec)):
        yield placed(("spec",), violation)


def _selected(spec: Map) -> Iterator[SchemaViolation]:
    selector = inner(spec, "clusterSelector")
    if not selector:
        return
    if not selector.get(_SELECTED):
        yield refused(("clusterSelector",), f"it needs the name of a cluster, as `{_SELECTED}`")
    if spec.get("suspend") is True:
        yield refused(("suspend",), "a job in an existing cluster cannot be suspended")
    if spec.get("submissionMode") == "SidecarMode":
        yield refused(("submissionMode",), "`SidecarMode` needs a cluster that the job makes")
    if (spec.get("backoffLimit") or 0) > 0:
        yield refused(("backoffLimit",), "a job in an existing cluster cannot be retried")


def _submitted(spec: Map) -> Iterator[SchemaViolation]:
    mode = spec.get("submissionMode")
    if mode == "InteractiveMode" and (spec.get("backoffLimit") or 0) > 0:
        yield refused(("backoffLimit",), "an interactive job cannot be retried")
    if mode == "SidecarMode":
        for name in ("submitterPodTemplate", "submitterConfig"):
            if spec.get(name) is not None:
                yield refused((name,), "`SidecarMode` has no submitter pod")
        head = ("rayClusterSpec", "headGroupSpec", "template", "spec")
        if inner(spec, *head).get("restartPolicy") not in (None, "", "Never"):
            yield refused((*head, "restartPolicy"), "expected `Never` with `SidecarMode`")
    text = spec.get("runtimeEnvYAML")
    if text and (problem := _environment(text)):
        yield refused(("runtimeEnvYAML",), problem)
    if inner(spec, "rayClusterSpec", "authOptions").get("enableK8sTokenAuth"):
        yield refused(
            ("rayClusterSpec", "authOptions", "enableK8sTokenAuth"), "a RayJob cannot have it"
        )


def _environment(text: str) -> str | None:
    """Return the fault of a text that must be a runtime environment in YAML."""
    try:
        documents = [*read(text.encode(errors="surrogatepass"), "runtimeEnvYAML")]
    except InputError:
        return "not valid YAML"
    if all(isinstance(document.value, dict) for document in documents):
        return None
    return "not a YAML map"


def _deleted(spec: Map) -> Iterator[SchemaViolation]:
    ends = spec.get("shutdownAfterJobFinishes") is True
    if (spec.get("ttlSecondsAfterFinished") or 0) > 0 and not ends:
        yield refused(
            ("ttlSecondsAfterFinished",),
            "it needs `shutdownAfterJobFinishes: true`",
        )
    deletion_strategy = spec.get("deletionStrategy")
    if deletion_strategy is None:
        return
    rules = [*maps(deletion_strategy, "deletionRules")]
    stated_ends = [end for end in _ENDS if deletion_strategy.get(end) is not None]
    if rules and ends:
        yield refused(
            (*_DELETION, "deletionRules"),
            "`shutdownAfterJobFinishes: true` also deletes the cluster: keep one of the two",
        )
    elif rules and stated_ends:
        yield refused((*_DELETION, stated_ends[0]), "`deletionRules` are set too: keep only those")
    elif stated_ends:
        yield from _by_ends(spec, deletion_strategy)
    elif rules:
        yield from _by_rules(spec, rules)
    else:
        yield refused(_DELETION, "it needs `deletionRules`")


def _by_ends(spec: Map, strategy: Map) -> Iterator[SchemaViolation]:
    for end in _ENDS:
        policy, path = inner(strategy, end).get("policy"), (*_DELETION, end)
        if policy is None:
            yield refused((*path, "policy"), "it is missing")
        elif policy == "DeleteNone" and spec.get("shutdownAfterJobFinishes") is True:
            yield refused(
                (*path, "policy"),
                "`DeleteNone` contradicts `shutdownAfterJobFinishes: true`, which deletes the "
                "cluster",
            )
        else:
            yield from _policy(spec, policy, (*path, "policy"))


def _policy(spec: Map, policy: str, path: Path) -> Iterator[SchemaViolation]:
    if inner(spec, "clusterSelector") and policy in _OF_CLUSTERS:
        yield refused(path, "a job cannot delete a cluster that existed before it")
    elif policy == "DeleteWorkers" and inner(spec, "rayClusterSpec").get("enableInTreeAutoscaling"):
        yield refused(path, "the autoscaler would create the workers again")


def _by_rules(spec: Map, rules: list[tuple[int, Map]]) -> Iterator[SchemaViolation]:
    times_seen: dict[tuple[str, str], dict[str, int]] = {}
    for index, rule in rules:
        path = (*_DELETION, "deletionRules", index)
        policy, condition = rule.get("policy") or "", inner(rule, "condition")
        states = [name for name in ("jobStatus", "jobDeploymentStatus") if condition.get(name)]
        if len(states) != 1:
            yield refused(
                (*path, "condition"),
                "exactly one of `jobStatus` and `jobDeploymentStatus` must be set",
            )
            continue
        after = condition.get("ttlSeconds") or 0
        if after < 0:
            yield refused((*path, "condition", "ttlSeconds"), f"expected at least 0, not {after}")
        yield from _policy(spec, policy, (*path, "policy"))
        others = times_seen.setdefault((states[0], condition[states[0]]), {})
        if policy in others:
            yield refused(path, f"another rule has `{policy}` for that state too")
        others[policy] = after
        yield from _order(others, policy, path)


def _order(times: dict[str, int], policy: str, path: Path) -> Iterator[SchemaViolation]:
    """Check that a part is deleted before the whole that has it."""
    after, place = times[policy], _ORDER.index(policy) if policy in _ORDER else 0
    for other_policy, time in times.items():
        if other_policy in _ORDER and (_ORDER.index(other_policy) - place) * (time - after) < 0:
            yield refused(
                (*path, "condition", "ttlSeconds"),
                f"`{policy}` after {after} s and `{other_policy}` after {time} s are in the wrong order",
            )
