"""GPU624: beyond what its page shows."""

import pytest

from gpuspec.lint.model import RawFinding
from tests.lint.pages import raised

EPP = "registry.k8s.io/gateway-api-inference-extension/epp"
PODS = '{apiGroups: [""], resources: [pods], verbs: [get, list, watch]}'
POOLS = "{apiGroups: [GROUP], resources: [inferencepools], verbs: [list, watch]}"
NEW_POOLS = POOLS.replace("GROUP", "inference.networking.k8s.io")
OLD_POOLS = POOLS.replace("GROUP", "inference.networking.x-k8s.io")
OBJECTIVES = OLD_POOLS.replace("inferencepools", "inferenceobjectives")
REWRITES = OLD_POOLS.replace("inferencepools", "inferencemodelrewrites")
ALL = (PODS, NEW_POOLS, OBJECTIVES)


def manifests(
    *rules: str,
    image: str = f"{EPP}:v1.0.0",
    args: str = "--pool-name, chat",
    command: str = "[]",
    kind: str = "Role",
    bound: str = "RoleBinding",
    subject: str = "{kind: ServiceAccount, name: picker, namespace: serving}",
    home: str = "serving",
    extra: str = "",
) -> str:
    """A program, its account, and one role that is bound to it."""
    return f"""
apiVersion: v1
kind: Pod
metadata: {{name: picker, namespace: serving}}
spec:
  serviceAccountName: picker
  containers: [{{name: main, image: "{image}", command: {command}, args: [{args}]}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {bound}
metadata: {{name: picker, namespace: {home}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {kind}, name: picker}}
subjects: [{subject}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {kind}
metadata: {{name: picker, namespace: {home}}}
rules: [{", ".join(rules)}]
{extra}"""


def found_in(text: str) -> list[RawFinding]:
    """What the rule says."""
    return [one.found for one in raised(text) if one.rule.code == "GPU624"]


def said(text: str) -> list[str]:
    """The resources that are missed."""
    return [one.message.split("`")[3] for one in found_in(text)]


def test_what_is_permitted_is_not_missed() -> None:
    assert said(manifests(*ALL)) == []


@pytest.mark.parametrize(
    ("version", "rules", "missed"),
    [
        ("v0.5.1", (PODS, OLD_POOLS), ["inferencemodels"]),
        ("v1.0.0", (PODS, OLD_POOLS, OBJECTIVES), ["inferencepools"]),
        ("v1.2.1", (PODS, NEW_POOLS), ["inferenceobjectives"]),
        ("v1.2.1", ALL, []),
        ("v1.4.0", ALL, ["inferencemodelrewrites"]),
        ("v1.4.0", (*ALL, REWRITES), []),
        # Of a candidate, a branch and a later release only what all ask for is known.
        ("v1.4.0-rc.1", (OBJECTIVES,), ["pods"]),
        ("main", (OBJECTIVES,), ["pods"]),
        ("v9.0.0", (OBJECTIVES,), ["pods"]),
    ],
)
def test_each_release_asks_for_its_own(
    version: str, rules: tuple[str, ...], missed: list[str]
) -> None:
    assert said(manifests(*rules, image=f"{EPP}:{version}")) == missed


@pytest.mark.parametrize(
    ("args", "missed"),
    [
        ("--pool-group, inference.networking.x-k8s.io", ["inferencepools"]),
        ("--pool-group=inference.networking.k8s.io", []),
        ("--pool-group, $(GROUP)", []),
        ("--pool-namespace, serving", []),
        ("--pool-namespace, $(NAMESPACE)", []),
        ("--pool-namespace, other", ["pods", "inferencepools", "inferenceobjectives"]),
    ],
)
def test_what_the_program_is_told_counts(args: str, missed: list[str]) -> None:
    assert said(manifests(*ALL, args=f'"{args}"'.replace(", ", '", "'))) == missed


def test_verbs_are_asked_one_by_one() -> None:
    (found,) = found_in(manifests(PODS.replace(", watch", ""), *ALL[1:]))
    assert " watch `pods`, but " in found.message
    assert found.note is not None
    assert 'apiGroups: [""], resources: [pods], verbs: [watch]' in found.note


@pytest.mark.parametrize(
    "rule",
    [
        '{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}',
        '{apiGroups: ["{{ .Values.group }}"], resources: [pods], verbs: [get]}',
    ],
)
def test_what_stands_for_anything_permits(rule: str) -> None:
    assert said(manifests(rule)) == []


def test_a_role_without_rules_permits_nothing() -> None:
    assert said(manifests()) == ["pods", "inferencepools", "inferenceobjectives"]


@pytest.mark.parametrize(
    "text",
    [
        manifests(PODS, subject="{kind: ServiceAccount, name: other, namespace: serving}"),
        manifests(PODS, subject="{kind: ServiceAccount, name: picker, namespace: other}"),
        manifests(PODS).replace("kind: Role, name: picker", "kind: Role, name: elsewhere"),
        manifests(PODS, kind="ClusterRole", extra="aggregationRule: {clusterRoleSelectors: []}"),
        manifests(PODS, command="[sleep, infinity]"),
        manifests(PODS, image="example.com/epp:v1.0.0"),
    ],
    ids=["other account", "other namespace", "no role", "aggregated", "other program", "image"],
)
def test_what_cannot_be_known_is_not_said(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    "subject",
    [
        "{kind: Group, name: system:authenticated}",
        "{kind: Group, name: system:serviceaccounts}",
        "{kind: Group, name: 'system:serviceaccounts:serving'}",
        "{kind: User, name: 'system:serviceaccount:serving:picker'}",
    ],
)
def test_roles_that_reach_the_account_by_another_name_count(subject: str) -> None:
    other = manifests(*ALL, subject=subject, kind="ClusterRole", bound="ClusterRoleBinding")
    beside = other.partition("---")[2].replace("name: picker", "name: all")
    assert said(manifests(PODS)) == ["inferencepools", "inferenceobjectives"]
    assert said(f"{manifests(PODS)}\n---{beside}") == []


EXPORTER = "nvcr.io/nvidia/k8s/dcgm-exporter:4.5.2-4.8.1-ubuntu22.04"


@pytest.mark.parametrize(
    ("bound", "args", "missed"),
    [
        ("RoleBinding", "--kubernetes, --kubernetes-enable-pod-labels", ["pods"]),
        ("ClusterRoleBinding", "--kubernetes, --kubernetes-enable-pod-labels", []),
        ("RoleBinding", "--kubernetes", []),
        ("RoleBinding", "--kubernetes, --kubernetes-enable-pod-labels=false", []),
    ],
)
def test_what_is_asked_of_all_namespaces_needs_a_cluster_role_binding(
    bound: str, args: str, missed: list[str]
) -> None:
    text = manifests(PODS, image=EXPORTER, args=args, kind="ClusterRole", bound=bound)
    assert said(text) == missed


ROUTER = "--service-discovery, k8s, --k8s-service-discovery-type"


@pytest.mark.parametrize(
    ("args", "missed"),
    [
        (f"{ROUTER}, service-name", ["services", "endpoints"]),
        (f"{ROUTER}, pod-ip", []),
        ("--service-discovery, static", []),
    ],
)
def test_the_router_asks_for_what_it_discovers(args: str, missed: list[str]) -> None:
    assert said(manifests(PODS, image="lmcache/lmstack-router:latest", args=args)) == missed


PLUGIN = "nvcr.io/nvidia/k8s-device-plugin"


@pytest.mark.parametrize(
    ("version", "command", "args", "missed"),
    [
        ("v0.20.0", "[gpu-feature-discovery]", "", ["nodefeatures"]),
        ("v0.20.0", "[gpu-feature-discovery]", "--use-node-feature-api=false", []),
        ("v0.20.0", "[gpu-feature-discovery]", "--config-file=/config/a.yaml", []),
        ("v0.18.2", "[/usr/bin/gpu-feature-discovery]", "", []),
        ("v0.18.2", "[/usr/bin/gpu-feature-discovery]", "--use-node-feature-api", ["nodefeatures"]),
        ("v0.20.0", "[]", "", []),
    ],
)
def test_feature_discovery_asks_where_it_speaks_to_the_api(
    version: str, command: str, args: str, missed: list[str]
) -> None:
    text = manifests(PODS, image=f"{PLUGIN}:{version}", command=command, args=args)
    assert said(text) == missed


@pytest.mark.parametrize(
    ("version", "args", "missed"),
    [
        ("v0.19.0", "", ["nodefeatures"]),
        ("v0.19.0", "-no-publish", []),
        ("v0.16.0", "-enable-nodefeature-api=false", []),
        ("v0.16.0", "", ["nodefeatures"]),
        ("v0.13.0", "", []),
    ],
)
def test_the_worker_of_nfd_asks_where_it_publishes(
    version: str, args: str, missed: list[str]
) -> None:
    image = f"registry.k8s.io/nfd/node-feature-discovery:{version}"
    assert said(manifests(PODS, image=image, command="[nfd-worker]", args=args)) == missed


def test_several_verbs_are_told_in_one_sentence() -> None:
    worker = "registry.k8s.io/nfd/node-feature-discovery:v0.19.0"
    (found,) = found_in(manifests(PODS, image=worker, command="[nfd-worker]", args=""))
    assert " get, create and update `nodefeatures` of `nfd.k8s-sigs.io`" in found.message
