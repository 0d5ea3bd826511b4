"""A pod that the Pod Security level `baseline` refuses."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.enforced import enforced, minor_of
from gpuspec.lint.analysis.pod_security import sentence, violations
from gpuspec.lint.analysis.pod_security.waivers import unwaived
from gpuspec.lint.analysis.security.bypass import device_volumes, sees_others
from gpuspec.lint.analysis.security.owners import inert_capabilities, roots_folders
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU601",
    "pod-security-baseline",
    "error",
    "The Pod Security level `baseline` rejects the pod",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield one finding for a pod, with all that is refused."""
    level = enforced(pod, context)
    if level is None and (not pod.has_gpu or pod.object.kind == "DaemonSet"):
        return
    if level is not None and not level.refuses_baseline:
        return
    minor = level.minor if level else minor_of(context)
    baseline_violations = [
        violation for violation in violations(pod, minor) if violation.level == "baseline"
    ]
    if level is None and baseline_violations:
        # Other rules say what these do to a GPU's isolation.
        paths = _said_elsewhere(pod, context)
        baseline_violations = [
            violation
            for violation in unwaived(baseline_violations, pod)
            if violation.path not in paths
        ]
    if not baseline_violations:
        return
    first, *others = baseline_violations
    related = tuple(
        RelatedPlace(pod.object.number, violation.path, violation.said) for violation in others
    )
    violations_text = sentence(baseline_violations, pod)
    if level is None:
        yield RawFinding(
            first.path,
            f"a namespace that enforces `baseline` or `restricted` rejects this pod: {violations_text}",
            note="check the namespace's label `pod-security.kubernetes.io/enforce`, which is not in these files",
            severity="info",
            related=related,
        )
        return
    yield RawFinding(
        first.path,
        f"the namespace enforces `{level.level}`, and the API server rejects this pod: {violations_text}",
        note=level.advice,
        related=related,
    )


def _said_elsewhere(pod: Pod, context: Context) -> set[Path]:
    """Return the fields of a pod with accelerators about which other rules report more."""
    paths = {pod.path("hostPID"), pod.path("hostIPC")}
    paths |= {
        container.path("securityContext", "privileged")
        for container, _ in sees_others(pod, context)
    }
    paths |= {device_volume.path[:-1] for device_volume in device_volumes(pod).values()}
    paths |= {path for _, added in inert_capabilities(pod) for path in added.values()}
    return paths | {root_folder.path for _, root_folder in roots_folders(pod)}
