"""Pod Security as the linter judges it: equal to a second reading of the standards, and said at the
level that the namespace enforces (C-22, C-23)."""

from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.lint.analysis.pod_security import violations
from gpuspec.lint.engine import Engine
from gpuspec.lint.model import Finding
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from gpuspec.objects.objects import Object
from tests.lint.pages import HERE, merge, named_profile
from tests.pod_security import restricted

NEWEST = 37
PSS = ("GPU601", "GPU602")
POD = yaml.safe_load((HERE / "bases" / "pod.yaml").read_text())


def _context(extra: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    profile = st.sampled_from(["RuntimeDefault", "Localhost", "Unconfined"])
    common = {
        "runAsNonRoot": st.booleans(),
        "runAsUser": st.sampled_from([0, 1000]),
        "seccompProfile": st.fixed_dictionaries({"type": profile}),
        "appArmorProfile": st.fixed_dictionaries({"type": profile}),
        "seLinuxOptions": st.fixed_dictionaries(
            {}, optional={"type": st.sampled_from(["container_t", "spc_t"]), "user": st.just("u")}
        ),
        "windowsOptions": st.fixed_dictionaries({"hostProcess": st.booleans()}),
    }
    return st.fixed_dictionaries({}, optional={**common, **extra})


def _container(name: str) -> st.SearchStrategy[dict[str, Any]]:
    get = st.fixed_dictionaries(
        {"port": st.just(80)}, optional={"host": st.sampled_from(["", "h"])}
    )
    handler = st.fixed_dictionaries({"httpGet": get})
    capabilities = st.fixed_dictionaries(
        {},
        optional={
            "add": st.lists(st.sampled_from(["NET_BIND_SERVICE", "CHOWN", "IPC_LOCK"]), max_size=2),
            "drop": st.sampled_from([["ALL"], ["NET_RAW"]]),
        },
    )
    security = _context(
        {
            "allowPrivilegeEscalation": st.booleans(),
            "privileged": st.booleans(),
            "procMount": st.sampled_from(["Default", "Unmasked"]),
            "capabilities": capabilities,
        }
    )
    ports = st.lists(st.fixed_dictionaries({"hostPort": st.sampled_from([0, 80])}), max_size=1)
    return st.fixed_dictionaries(
        {"name": st.just(name), "securityContext": security},
        optional={
            "ports": ports,
            "livenessProbe": handler,
            "lifecycle": st.fixed_dictionaries({"preStop": handler}),
        },
    )


CONTAINERS = st.tuples(_container("main")).map(list)
SYSCTLS = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from(["net.ipv4.tcp_rmem", "kernel.msgmax"])}),
    max_size=1,
)
VOLUMES = st.lists(
    st.sampled_from(
        [
            {"name": "a", "emptyDir": {}},
            {"name": "b", "hostPath": {"path": "/x"}},
            {"name": "c", "nfs": {"server": "s", "path": "/x"}},
            {"name": "d", "image": {"reference": "r"}},
        ]
    ),
    max_size=2,
    unique_by=lambda one: str(one["name"]),
)
PODS = st.fixed_dictionaries(
    {"containers": CONTAINERS},
    optional={
        "initContainers": st.tuples(_container("init")).map(list),
        "securityContext": _context({"sysctls": SYSCTLS}),
        "volumes": VOLUMES,
        "hostNetwork": st.booleans(),
        "hostPID": st.booleans(),
        "hostIPC": st.booleans(),
    },
)


@settings(max_examples=300, deadline=None)
@given(PODS, st.booleans())
def test_two_readings_of_the_standards_agree(spec: dict[str, Any], good: bool) -> None:
    """C-22."""
    if good:
        # What fails nothing is rare by chance.
        spec = merge(POD["spec"], {"volumes": spec.get("volumes", [])})
    (pod,) = Object({"apiVersion": "v1", "kind": "Pod", "spec": spec}).pods
    theirs = restricted({"metadata": {}, "spec": spec})
    assert bool(violations(pod, NEWEST)) == bool(theirs), theirs


def test_annotations_and_older_policies() -> None:
    """C-22."""
    key = "container.apparmor.security.beta.kubernetes.io/main"
    value = merge(POD, {"metadata": {"annotations": {key: "unconfined"}}})
    assert [one.path for one in violations(Object(value).pods[0], NEWEST)] == [
        ("metadata", "annotations", key)
    ]
    probed = merge(
        POD,
        {"spec": {"containers": [{"name": "main", "livenessProbe": {"tcpSocket": {"host": "h"}}}]}},
    )
    assert violations(Object(probed).pods[0], 34)
    assert not violations(Object(probed).pods[0], 33)
    private = merge(POD, {"spec": {"hostUsers": False, "securityContext": {"runAsUser": 0}}})
    assert not violations(Object(private).pods[0], 35)
    assert violations(Object(private).pods[0], 34)


def _say(*values: dict[str, Any], profile: str | None = None) -> list[Finding]:
    loader = TextLoader([SourceFile("a.yaml", yaml.safe_dump_all(values))])
    engine = Engine(lambda code: code in PSS, named_profile(profile) if profile else None)
    return [one.finding() for one in engine.run(loader)]


def _namespace(level: str) -> dict[str, Any]:
    labels = {"pod-security.kubernetes.io/enforce": level}
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "research", "labels": labels},
    }


ROOT = merge(POD, {"spec": {"securityContext": {"runAsNonRoot": False}}})
BARE = merge(ROOT, {"spec": {"hostPID": True, "hostNetwork": True}})


def test_the_namespace_decides_how_loud_it_is() -> None:
    """C-22: refused where the level is enforced, information where nothing is known of it."""
    said = {
        level: _say(ROOT, _namespace(level)) for level in ("restricted", "baseline", "privileged")
    }
    (refused,) = said["restricted"]
    assert (refused.rule, refused.severity) == ("GPU602", "error")
    assert refused.path == "spec.securityContext.runAsNonRoot"
    assert refused.note and "Namespace `research` has the label" in refused.note
    assert said["baseline"] == said["privileged"] == []
    (open_,) = _say(ROOT)
    assert (open_.rule, open_.severity) == ("GPU602", "info")
    (profiled,) = _say(ROOT, profile="enforcing")
    assert profiled.severity == "error"
    elsewhere = merge(_namespace("restricted"), {"metadata": {"name": "other"}})
    assert [one.severity for one in _say(ROOT, elsewhere)] == ["info"]


def test_one_finding_says_all_of_it() -> None:
    """C-22: of a pod that breaks `baseline` no more is said where nothing is enforced."""
    assert [(one.rule, one.severity) for one in _say(BARE)] == [("GPU601", "info")]
    baseline, more = _say(BARE, _namespace("restricted"))
    assert (baseline.rule, more.rule) == ("GPU601", "GPU602")
    assert "`hostNetwork` is true; `hostPID` is true" in baseline.message


def test_who_runs_as_root_says_why() -> None:
    """C-23."""

    def waived(reason: str) -> dict[str, Any]:
        return merge(ROOT, {"metadata": {"annotations": {"gpuspec.dev/waiver-root": reason}}})

    assert _say(waived("the vendor's licence daemon needs it")) == []
    assert [one.rule for one in _say(waived(" "))] == ["GPU602"]
    assert [one.severity for one in _say(waived("why"), _namespace("restricted"))] == ["error"]


def test_a_waiver_is_for_one_thing_and_leaves_the_others_to_be_said() -> None:
    """C-23."""

    def said(spec: dict[str, Any], *waivers: str) -> list[tuple[str, str]]:
        reasons = {f"gpuspec.dev/waiver-{name}": "the probe needs it" for name in waivers}
        pod = merge(ROOT, {"metadata": {"annotations": reasons}, "spec": spec})
        return [(one.rule, one.message.rpartition(": ")[2]) for one in _say(pod)]

    network = {"hostNetwork": True}
    assert said(network, "root") == [("GPU601", "`hostNetwork` is true")]
    assert said(network, "root", "host-network") == []
    (rule, message) = said(network, "host-network")[0]
    assert rule == "GPU602" and "`runAsNonRoot` is `false`" in message


def test_the_note_says_where_a_reason_is_written() -> None:
    (found,) = _say(ROOT)
    assert found.note == (
        "set these fields as `restricted` requires, or give a reason why not in the "
        "annotation `gpuspec.dev/waiver-root` of the pod"
    )


def test_the_waiver_is_the_one_that_is_rendered() -> None:
    from gpuspec.lint.analysis.pod_security.waivers import PREFIX
    from gpuspec.plan.security import WAIVER_PREFIX

    assert PREFIX == WAIVER_PREFIX


def test_what_another_object_completes_is_judged_by_what_is_written() -> None:
    service = {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": "m", "namespace": "research"},
        "spec": {"predictor": {"model": {"resources": {"limits": {"nvidia.com/gpu": 1}}}}},
    }
    assert _say(service, _namespace("restricted")) == []
    privileged = {"spec": {"predictor": {"model": {"securityContext": {"privileged": True}}}}}
    (found,) = _say(merge(service, privileged), _namespace("restricted"))
    assert found.path == "spec.predictor.model.securityContext.privileged"
