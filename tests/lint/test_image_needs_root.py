"""GPU620, GPU621 and GPU622: users other than root, beyond what the pages show."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: ml}
spec:
  securityContext: {SECURITY}
  INIT
  containers:
    - name: main
      image: IMAGE
      resources: {limits: {RESOURCE: 1}}
      volumeMounts: [{name: m, mountPath: /models, readOnly: READONLY}]
  volumes: [{name: m, persistentVolumeClaim: {claimName: models}}]
"""
TGI = "ghcr.io/huggingface/text-generation-inference"


def said(
    code: str,
    security: str = "runAsUser: 1000",
    image: str = f"{TGI}:3.3.7",
    resource: str = "nvidia.com/gpu",
    read_only: str = "false",
    init: str = "",
) -> bool:
    made = POD.replace("SECURITY", security).replace("IMAGE", image).replace("INIT", init)
    made = made.replace("RESOURCE", resource).replace("READONLY", read_only)
    return code in [one.rule.code for one in raised(made)]


@pytest.mark.parametrize("security", ["runAsUser: 1000", "runAsNonRoot: true"])
@pytest.mark.parametrize("tag", ["3.1.1", "3.3.7-rocm"])
def test_an_image_that_starts_for_root_alone(security: str, tag: str) -> None:
    assert said("GPU620", security, f"{TGI}:{tag}")


@pytest.mark.parametrize(
    ("security", "image"),
    [
        ("runAsUser: 1000", f"{TGI}:3.1.0"),
        ("runAsUser: 1000", f"{TGI}:latest"),
        ("runAsUser: 1000", "registry.example.com/own/tgi:3.3.7"),
        ("runAsUser: 0", f"{TGI}:3.3.7"),
        ("fsGroup: 1", f"{TGI}:3.3.7"),
    ],
)
def test_an_image_for_others_or_a_container_of_roots(security: str, image: str) -> None:
    assert not said("GPU620", security, image)


ROOT = "initContainers: [{name: chown, image: x, securityContext: {runAsUser: 0}, volumeMounts: [{name: m, mountPath: /m}]}]"


def test_a_claim_that_belongs_to_root() -> None:
    assert said("GPU621")
    assert not said("GPU621", "runAsUser: 1000, fsGroup: 1000")
    assert not said("GPU621", "runAsUser: 0")
    assert not said("GPU621", "runAsNonRoot: true")
    assert not said("GPU621", read_only="true")
    assert not said("GPU621", init=ROOT)


def test_the_group_of_amds_devices() -> None:
    own = "registry.example.com/own:1"
    assert said("GPU622", "runAsUser: 1000, runAsGroup: 1000", own, "amd.com/gpu")
    assert not said("GPU622", "runAsUser: 1000, runAsGroup: 109", own, "amd.com/gpu")
    assert not said("GPU622", "runAsUser: 1000, supplementalGroups: [44, 109]", own, "amd.com/gpu")
    assert not said("GPU622", "runAsUser: 0", own, "amd.com/gpu")
    assert not said("GPU622", "runAsUser: 1000", own, "nvidia.com/gpu")


@pytest.mark.parametrize(
    ("resource", "found"),
    [
        ("gpu.intel.com/i915", True),
        ("gpu.intel.com/xe", True),
        ("gpu.intel.com/i915_monitoring", False),
        ("devic.es/dri-render", True),
        ("squat.ai/dri", True),
        ("smarter-devices/kfd", True),
        ("squat.ai/video", False),
        ("rdma/hca_drive", False),
    ],
)
def test_devices_that_a_plugin_hands_out(resource: str, found: bool) -> None:
    """A plugin for any file is told what to call it; the domain says nothing."""
    own = "registry.example.com/own:1"
    assert said("GPU622", "runAsUser: 1000", own, resource) is found
    assert not said("GPU622", "runAsUser: 1000, supplementalGroups: [109]", own, resource)


@pytest.mark.parametrize(
    ("path", "found"),
    [("/dev/dri", True), ("/dev/dri/renderD128", True), ("/dev/kfd", True), ("/dev/drive", False)],
)
def test_devices_of_the_nodes_own_folder(path: str, found: bool) -> None:
    volume = f"hostPath: {{path: {path}}}"
    made = (
        POD.replace("SECURITY", "runAsUser: 1000").replace("INIT", "").replace("READONLY", "true")
    )
    made = made.replace("{RESOURCE: 1}", "{cpu: 1}")
    made = made.replace("persistentVolumeClaim: {claimName: models}", volume)
    assert ("GPU622" in [one.rule.code for one in raised(made)]) is found


SUPERVISED = """\
apiVersion: v1
kind: Pod
metadata: {name: node, namespace: media}
spec:
  securityContext: SECURITY
  containers:
    - name: main
      image: IMAGE
      securityContext: {readOnlyRootFilesystem: true}
      resources: {limits: {nvidia.com/gpu: 1}}
      volumeMounts: [{name: run, mountPath: MOUNT}]
  volumes: [{name: run, emptyDir: {}}]
"""


@pytest.mark.parametrize(
    ("image", "security", "mount", "expected"),
    [
        (
            "ghcr.io/haveagitgat/tdarr_node:2.77.01",
            "{runAsUser: 1000}",
            "/tmp",
            ["GPU610", "GPU620"],
        ),
        ("ghcr.io/haveagitgat/tdarr_node:2.77.01", "{runAsNonRoot: true}", "/run", ["GPU620"]),
        ("ghcr.io/blakeblackshear/frigate:0.15.0-tensorrt", "{runAsUser: 0}", "/run", []),
        # Somebody else's build of the same program.
        ("ghcr.io/home-operations/plex:1.41.7", "{runAsUser: 1000}", "/tmp", []),
    ],
)
def test_an_image_that_starts_by_a_supervisor_has_to_be_root(
    image: str, security: str, mount: str, expected: list[str]
) -> None:
    text = SUPERVISED.replace("IMAGE", image).replace("SECURITY", security).replace("MOUNT", mount)
    said = [one.rule.code for one in raised(text) if one.rule.code in ("GPU610", "GPU620")]
    assert sorted(said) == expected
