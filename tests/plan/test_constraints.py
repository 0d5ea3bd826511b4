"""Pods on OpenShift: whom they run as, what that takes, and who says that they may."""

from types import ModuleType
from typing import Any

import pytest

from tests.plan.conftest import Make, Refused, Values
from tests.scc import refusals

EVERY_KIND = ("Training", "FineTune", "BatchInference", "Inference")
WHY = "the licence manager checks for uid 0"
REQUIRED = "openshift.io/required-scc"


def openshift(*pools: Values, **fields: Any) -> Values:
    return {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": "ClusterProfile",
        "metadata": {"name": "here"},
        "spec": {"kubernetes": "1.33", "extends": "openshift", "pools": list(pools), **fields},
    }


def serving(level: str = "restricted", **scc: list[str]) -> list[Values]:
    named = {name.replace("_", "-"): accounts for name, accounts in scc.items()}
    return [{"name": "serving", "podSecurity": level, "scc": named}]


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_the_platform_assigns_the_user_of_every_kind(
    make: Make, pod_security: ModuleType, kind: str
) -> None:
    """No number anywhere, and everybody's constraint and `restricted` both admit it."""
    helpers = {
        "initContainers": [{"name": "fetch", "image": "fetch:1"}],
        "sidecars": [{"name": "log", "image": "log:1"}],
    }
    made = make(kind, openshift(), namespace="serving", **helpers)
    context = made.pod["securityContext"]
    assert context == {
        "runAsNonRoot": True,
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert made.template["metadata"]["annotations"][REQUIRED] == "restricted-v2"
    assert refusals(made.template) == []
    assert pod_security.restricted(made.template) == []
    assert "assigns user and group" in made.reason("spec.template.spec.securityContext")


@pytest.mark.parametrize("runtime", ["vllm", "sglang", "triton", "ollama", "tei"])
def test_whatever_is_written_is_a_volume_that_any_user_may_write_to(
    make: Make, runtime: str
) -> None:
    """A home of its own, since no image knows the user."""
    made = make("Inference", openshift(), namespace="serving", runtime=runtime)
    assert refusals(made.template) == []
    assert made.env["HOME"] == "/home/app"
    assert "emptyDir" in made.volumes["home"]
    assert made.env["USER"] == "app"


def test_a_user_of_its_own_takes_another_constraint(make: Make, pod_security: ModuleType) -> None:
    """A service has an account of its own; a Job is the namespace's default."""
    profile = openshift(namespaces=serving(nonroot_v2=["ranker", "default"]))
    for kind, name in (("Inference", "ranker"), ("Training", "work")):
        made = make(kind, profile, name=name, namespace="serving", user={"uid": 1001})
        assert made.template["metadata"]["annotations"][REQUIRED] == "nonroot-v2"
        context = made.pod["securityContext"]
        assert context["runAsUser"] == 1001
        assert context["fsGroup"], "nonroot-v2 assigns none, and volumes could not be written to"
        assert refusals(made.template) == []
        assert pod_security.restricted(made.template) == []
        assert REQUIRED not in made.loud()


def test_who_may_not_is_refused_where_the_profile_names_the_namespace(refused: Refused) -> None:
    text = refused(
        "Inference",
        openshift(namespaces=serving(nonroot_v2=["other"])),
        name="ranker",
        namespace="serving",
        user={"uid": 1001},
    )
    assert (
        "`user` ServiceAccount ranker must be let use SecurityContextConstraints nonroot-v2" in text
    )


def test_elsewhere_a_note_says_who_must_be_let(make: Make) -> None:
    made = make("Inference", openshift(), name="ranker", namespace="lab", user={"fsGroup": 2000})
    assert "oc adm policy add-scc-to-user nonroot-v2 -z ranker -n lab" in made.loud()


def test_a_primary_group_takes_nothing(make: Make) -> None:
    """No constraint checks it."""
    made = make("Training", openshift(), namespace="serving", user={"gid": 1001})
    assert made.pod["securityContext"]["runAsGroup"] == 1001
    assert made.template["metadata"]["annotations"][REQUIRED] == "restricted-v2"


def test_root_may_name_no_seccomp_profile(make: Make) -> None:
    """`anyuid` lists none, and a pod that names one is not admitted."""
    profile = openshift(namespaces=serving("baseline", anyuid=["default"]))
    made = make("Training", profile, namespace="serving", waivers={"root": WHY})
    assert made.template["metadata"]["annotations"][REQUIRED] == "anyuid"
    assert "seccompProfile" not in made.pod["securityContext"]
    assert made.pod["securityContext"]["runAsUser"] == 0
    assert refusals(made.template) == []


def test_a_folder_of_the_node_takes_more(make: Make) -> None:
    profile = openshift(namespaces=serving("privileged", hostmount_anyuid=["default"]))
    volumes = [{"mount": "/data", "hostPath": "/mnt/data", "readOnly": True}]
    waivers = {"hostPath": "the data lies on the nodes"}
    made = make("Training", profile, namespace="serving", volumes=volumes, waivers=waivers)
    assert made.template["metadata"]["annotations"][REQUIRED] == "hostmount-anyuid"
    assert made.pod["securityContext"]["runAsUser"] == 1000
    assert refusals(made.template) == []


def test_a_constraint_of_the_clusters_own_is_taken_for_what_it_needs(make: Make) -> None:
    profile = openshift(namespaces=serving(fixed_users=["default"]))
    made = make("Training", profile, namespace="serving", user={"uid": 1001})
    assert made.template["metadata"]["annotations"][REQUIRED] == "fixed-users"


def test_groups_of_device_files_are_let_to_everybody(make: Make) -> None:
    pool = {
        "name": "mi300x",
        "gpu": {"model": "MI300X", "count": 8, "groups": [44, 109], "resource": "amd.com/gpu"},
        "labels": {"example.com/pool": "mi300x"},
    }
    made = make(
        "Training", openshift(pool), namespace="serving", image="rocm/pytorch:1", gpu={"count": 1}
    )
    assert made.pod["securityContext"]["supplementalGroups"] == [44, 109]
    assert refusals(made.template) == []


def test_room_is_kept_warm_by_whomever_the_platform_says(make: Make) -> None:
    """The placeholders run as another account than the servers."""
    profile = openshift(
        namespaces=serving(nonroot_v2=["ranker"]), priorities={"placeholder": "gpu-placeholder"}
    )
    made = make(
        "Inference", profile, name="ranker", namespace="serving", user={"uid": 1001}, warm=1
    )
    warm = made.one("Deployment", "ranker-placeholder")["spec"]["template"]["spec"]
    assert "runAsUser" not in warm["securityContext"]
    assert warm["serviceAccountName"] == "default"


def test_names_are_asked_of_the_platforms_dns(make: Make) -> None:
    network = {"ingress": [{"namespace": "openshift-ingress"}]}
    made = make("Inference", openshift(network=network), namespace="serving")
    (dns,) = made.one("NetworkPolicy")["spec"]["egress"]
    (where,) = dns["to"]
    name = where["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"]
    assert name == "openshift-dns"
    assert {port["port"] for port in dns["ports"]} == {5353}


def test_where_nothing_is_assigned_is_said(make: Make) -> None:
    assert "assigns no user there" in make("Training", openshift()).loud()
    assert "assigns" not in make("Training", openshift(), namespace="serving").loud()


def test_ssh_of_an_mpijob_needs_a_user_with_a_name(make: Make, refused: Refused) -> None:
    fields: Values = {"target": "mpijob", "workers": 2, "namespace": "serving"}
    spaces = serving(nonroot_v2=["default"])
    profile = openshift(installed={"mpi-operator": "0.8"}, namespaces=spaces)
    assert "ssh needs a user with a name" in refused("Training", profile, **fields)
    made = make("Training", profile, user={"uid": 1001}, **fields)
    config = made.one("ConfigMap")["data"]
    assert "app:x:1001:" in config["passwd"]


def test_elsewhere_nothing_of_it_is_written(make: Make) -> None:
    made = make("Inference", None, namespace="serving")
    assert REQUIRED not in made.template["metadata"].get("annotations", {})
