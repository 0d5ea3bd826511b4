"""What the rules of security and of data say, how loud, and where they keep silent.

Each case is a patch on a clean manifest of `bases/`, and the codes with severities that these two
families raise. The pages hold the plain wrong and right of each rule; here stand the edges.
"""

from typing import Any, NamedTuple

import pytest
import yaml

from gpuspec.lint import Engine, Finding, TextFeed
from gpuspec.manifests import Quantity, Source
from gpuspec.settings.config import Facts
from tests.lint.pages import HERE, merge, named_profile

FAMILIES = ("GPU6", "GPU9")


class Edge(NamedTuple):
    """A case: what it shows, base and patch, what is said of it."""

    shows: str
    base: str
    patch: str
    said: tuple[str, ...] = ()
    profile: str | None = None


def main(text: str) -> str:
    """A patch of the main container of a template."""
    lines = "\n".join(f"          {line}" for line in text.strip("\n").splitlines())
    return f"spec:\n  template:\n    spec:\n      containers:\n        - name: main\n{lines}"


def pod(text: str) -> str:
    """A patch of a template's pod."""
    lines = "\n".join(f"      {line}" for line in text.strip("\n").splitlines())
    return f"spec:\n  template:\n    spec:\n{lines}"


PRIVILEGED = "securityContext: {privileged: true, allowPrivilegeEscalation: null}"
AGENT = """
spec:
  template:
    spec:
      %s
      containers:
        - name: main
          resources: {limits: {nvidia.com/gpu: 1}}"""
SPOT = "nodeSelector: {cloud.google.com/gke-spot: 'true'}"
WORKER = """
spec:
  replicatedJobs:
    - name: workers
      template: {spec: {template: {spec: {containers: [{name: main, %s}]}}}}
"""

EDGES = (
    # C-21: what a pod sees that it was not given.
    Edge("C-21 one of eight", "deployment", main(PRIVILEGED), ("GPU603 warning",)),
    # All eight of a node are its own: only the level is left to be said.
    Edge("C-21 a whole node", "job", main(PRIVILEGED), ("GPU601 info",)),
    Edge("C-21 refused", "pod", "spec: {hostPID: true}", ("GPU601 error",), "enforcing"),
    Edge("C-21 an agent", "daemonset", AGENT % "hostPID: true"),
    Edge(
        "C-21 an agent that is privileged",
        "daemonset",
        AGENT % "hostNetwork: false" + "\n          " + PRIVILEGED,
    ),
    Edge(
        "C-21 an agent's variable",
        "daemonset",
        main("env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]"),
    ),
    Edge(
        "C-21 no GPU asked for",
        "pod",
        "spec: {containers: [{name: main, resources: null, env: [{name: NVIDIA_VISIBLE_DEVICES, "
        "value: all}]}]}",
        ("GPU604 warning",),
    ),
    Edge(
        "C-21 none wanted",
        "pod",
        "spec: {containers: [{name: main, resources: null, env: [{name: NVIDIA_VISIBLE_DEVICES, "
        "value: void}]}]}",
    ),
    Edge(
        "C-21 void beside a limit",
        "job",
        main("env: [{name: NVIDIA_VISIBLE_DEVICES, value: void}]"),
        ("GPU604 warning",),
    ),
    Edge(
        "just what is held",
        "statefulset",
        main("env: [{name: CUDA_VISIBLE_DEVICES, value: '0,1'}]"),
    ),
    Edge(
        "less than is held",
        "statefulset",
        main("env: [{name: CUDA_VISIBLE_DEVICES, value: '1'}]"),
        ("GPU604 warning",),
    ),
    Edge("by UUID", "job", main("env: [{name: CUDA_VISIBLE_DEVICES, value: GPU-3f2a}]")),
    # C-52: locked memory and fabrics.
    Edge(
        "C-52 root can lock",
        "job",
        pod("securityContext: {runAsNonRoot: null, runAsUser: 0}")
        + "\n"
        + main("securityContext: {capabilities: {add: [IPC_LOCK]}}").split("    spec:\n", 1)[1],
        ("GPU601 info",),
    ),
    Edge(
        "C-52 refused, not inert",
        "pod",
        "spec: {containers: [{name: main, securityContext: {capabilities: {add: [IPC_LOCK]}}}]}",
        ("GPU601 error",),
        "enforcing",
    ),
    Edge(
        "C-52 off on purpose",
        "jobset",
        WORKER % "env: [{name: NCCL_NET, value: Socket}]",
        (),
        "rdma",
    ),
    Edge("C-52 not asked for", "jobset", WORKER % "stdin: false", ("GPU910 warning",), "rdma"),
    Edge("C-52 nothing known", "jobset", WORKER % "stdin: false"),
    Edge(
        "C-52 by machine",
        "jobset",
        "spec: {replicatedJobs: [{name: workers, template: {spec: {template: {spec: {nodeSelector: "
        "{node.kubernetes.io/instance-type: p5.48xlarge}}}}}}]}",
        ("GPU910 warning",),
    ),
    Edge(
        "C-52 any provider but EFA",
        "jobset",
        WORKER % "env: [{name: FI_PROVIDER, value: tcp}], "
        "resources: {limits: {vpc.amazonaws.com/efa: 32}, requests: {vpc.amazonaws.com/efa: 32}}",
        ("GPU911 warning",),
    ),
    Edge(
        "C-52 wanted pages",
        "jobset",
        WORKER % "resources: {limits: {rdma/hca: 1}, requests: {rdma/hca: 1}}",
        ("GPU913 info",),
        "rdma",
    ),
    # S08: folders of the node.
    Edge(
        "read alone",
        "deployment",
        pod("volumes: [{name: hf, hostPath: {path: /mnt/hf}}]")
        + "\n"
        + main("volumeMounts: [{name: hf, mountPath: /hf, readOnly: true}]").split("spec:\n", 3)[
            -1
        ],
        ("GPU601 info",),
    ),
    # C-47: credentials.
    Edge("C-47 a number", "deployment", main("env: [{name: MAX_TOTAL_TOKENS, value: '4096'}]")),
    Edge("C-47 a dummy", "deployment", main("env: [{name: OPENAI_API_KEY, value: EMPTY}]")),
    Edge("C-47 expanded", "deployment", main("env: [{name: HF_TOKEN, value: $(HUB)}]")),
    Edge(
        "C-47 a stand-in",
        "deployment",
        main("env: [{name: HF_TOKEN, value: <your token>}]"),
        ("GPU611 info",),
    ),
    Edge(
        "C-47 in a flag",
        "deployment",
        main("args: [/models/qwen3-8b, --api-key, letmein]"),
        ("GPU611 warning",),
    ),
    Edge(
        "C-47 by its looks",
        "job",
        main("command: [sh, -c, 'curl -H \"Bearer hf_4kJw93mzQp7LxV2cTn8RbY5sDf1Gh6\" x']"),
        ("GPU611 warning",),
    ),
    # C-48: nothing of the API server's in a server, no prompts in its log.
    Edge(
        "C-48 an account with a role",
        "deployment",
        pod("automountServiceAccountToken: null\nserviceAccountName: chat")
        + """
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: chat, namespace: serving}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: chat}
subjects: [{kind: ServiceAccount, name: chat, namespace: serving}]
""",
    ),
    Edge(
        "C-48 a token",
        "deployment",
        pod("automountServiceAccountToken: null"),
        ("GPU612 info",),
    ),
    Edge("C-48 switched off", "deployment", main("args: [/models/m, --enable-log-requests=false]")),
    Edge("C-48 newer logs none", "deployment", main("image: vllm/vllm-openai:v0.11.0")),
    # C-42: shared memory.
    Edge(
        "C-42 two ranks",
        "statefulset",
        main("volumeMounts: [{name: shm, mountPath: /x}]"),
        ("GPU901 error",),
    ),
    Edge(
        "C-42 two GPUs",
        "statefulset",
        main("volumeMounts: [{name: shm, mountPath: /x}]\nargs: [/models/m]"),
        ("GPU901 warning",),
    ),
    Edge(
        "C-42 two slices",
        "job",
        main(
            "volumeMounts: [{name: shm, mountPath: /x}]\ncommand: [python, t.py]\nresources: {limits: "
            "{nvidia.com/gpu: null, nvidia.com/mig-1g.10gb: 2}, requests: {nvidia.com/gpu: null, "
            "nvidia.com/mig-1g.10gb: 2}}"
        ),
    ),
    Edge(
        "C-42 only looks",
        "job",
        main("volumeMounts: [{name: shm, mountPath: /x}]\ncommand: [nvidia-smi]"),
    ),
    Edge("C-42 one GPU", "deployment", main("volumeMounts: [{name: shm, mountPath: /x}]")),
    Edge(
        "C-42 data loaders",
        "cronjob",
        "spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: main, volumeMounts: [{name: "
        "shm, mountPath: /x}], command: [python, train.py, --num_workers=8]}]}}}}}",
        ("GPU901 warning",),
    ),
    Edge(
        "C-42 no bound at all",
        "job",
        pod("volumes: [{name: shm, emptyDir: {sizeLimit: null}}]")
        + "\n"
        + main("resources: {limits: {memory: null}}").split("    spec:\n", 1)[1],
        ("GPU903 warning",),
    ),
    # C-43, C-44: weights and images.
    Edge(
        "C-43 one replica",
        "deployment",
        "spec: {replicas: 1, template: {spec: {containers: [{name: main, args: [org/m], env: [{name: "
        "HF_HUB_OFFLINE, value: '0'}]}], volumes: [{name: weights, persistentVolumeClaim: null, "
        "emptyDir: {sizeLimit: 1Gi}}]}}}",
        ("GPU905 info",),
    ),
    Edge("C-43 a folder", "deployment", main("args: [/models/m]")),
    Edge(
        "C-44 a build", "pod", "spec: {containers: [{name: main, image: a.io/t:nightly-4f2e91c}]}"
    ),
    Edge("C-44 to be filled in", "pod", "spec: {containers: [{name: main, image: $IMAGE}]}"),
    Edge(
        "C-44 a helper's",
        "pod",
        "spec: {initContainers: [{name: get, image: busybox, securityContext: "
        "{allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}]}",
        ("GPU906 info",),
    ),
    # C-46, C-66: contracts.
    Edge(
        "C-46 C-66 all kept",
        "pod",
        "metadata: {labels: {owner: research}}",
        (),
        "contracts",
    ),
    Edge(
        "C-46 C-66 none kept",
        "pod",
        "spec: {containers: [{name: main, image: 'ghcr.io/others/x:1', resources: {limits: {memory: "
        "null}}}]}",
        ("GPU615 error", "GPU616 error", "GPU617 error"),
        "contracts",
    ),
    # C-35: what is left of training.
    Edge(
        "C-35 a store",
        "job",
        pod(
            f"{SPOT}\nvolumes: [{{name: checkpoints, persistentVolumeClaim: null, emptyDir: {{}}}}]"
        )
        + "\n"
        + main("command: [torchrun, train.py, --out, s3://runs/1]").split("    spec:\n", 1)[1],
    ),
    Edge(
        "C-35 nothing",
        "job",
        pod(
            f"{SPOT}\nvolumes: [{{name: checkpoints, persistentVolumeClaim: null, emptyDir: {{}}}}]"
        ),
        ("GPU908 warning",),
    ),
    Edge("C-35 GKE's notice", "job", pod(f"{SPOT}\nterminationGracePeriodSeconds: null")),
)


def said(text: str, profile: str | None = None, facts: Facts | None = None) -> list[Finding]:
    """What the two families say of a manifest."""
    feed = TextFeed([Source("a.yaml", text)])
    engine = Engine(
        lambda code: code.startswith(FAMILIES), named_profile(profile) if profile else None, facts
    )
    return [one.finding() for one in engine.run(feed)]


def laid(base: str, patch: str) -> str:
    """A patch on a base, and the documents that stand with either."""
    first, *others = yaml.safe_load_all((HERE / "bases" / f"{base}.yaml").read_text())
    change, *more = yaml.safe_load_all(patch)
    return yaml.safe_dump_all([merge(first, change), *others, *more], sort_keys=False)


@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge.shows)
def test_edges(edge: Edge) -> None:
    found = said(laid(edge.base, edge.patch), edge.profile)
    assert sorted(f"{one.rule} {one.severity}" for one in found) == sorted(edge.said), found


@pytest.mark.parametrize(
    ("limit", "severity"), [("4Gi", "warning"), ("32Gi", "info"), ("64Gi", None)]
)
def test_host_memory_against_the_model(limit: str, severity: str | None) -> None:
    """C-41: below any server it is sure to hurt; with the model's size, slow to load."""
    patch = main(
        f"args: [org/m, --served-model-name, chat]\nresources: {{requests: {{memory: {limit}}}, "
        f"limits: {{memory: {limit}}}}}\nenv: [{{name: HF_HUB_OFFLINE, value: '0'}}]"
    )
    shm: dict[str, Any] = {"volumes": [{"name": "shm", "emptyDir": {"sizeLimit": "1Gi"}}]}
    text = yaml.safe_load(laid("deployment", patch).split("\n---\n")[0])
    text = merge(text, {"spec": {"template": {"spec": shm}}})
    facts = Facts(models={"org/m": Quantity.parse("40Gi")})
    found = said(yaml.safe_dump(text), facts=facts)
    assert [one.severity for one in found if one.rule == "GPU907"] == (
        [severity] if severity else []
    )


@pytest.mark.parametrize("root", [True, False])
def test_ipc_lock_is_never_advised_where_it_does_nothing(root: bool) -> None:
    """C-52."""
    security = {"runAsNonRoot": None, "runAsUser": 0} if root else {}
    product = {
        "key": "nvidia.com/gpu.product",
        "operator": "In",
        "values": ["NVIDIA-A100-SXM4-80GB"],
    }
    required = {"nodeSelectorTerms": [{"matchExpressions": [product]}]}
    node = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    amounts = {"limits": {"rdma/hca": 1}, "requests": {"rdma/hca": 1}}
    change = {
        "securityContext": security,
        "affinity": node,
        "containers": [{"name": "main", "resources": amounts}],
    }
    text = laid("job", yaml.safe_dump({"spec": {"template": {"spec": change}}}))
    (found,) = [one for one in said(text, "rdma") if one.rule == "GPU912"]
    assert found.note
    assert ("would do for this pod" in found.note) is root
    assert ("would not help here" in found.note) is not root


def _beside(service: str) -> list[str]:
    patch = f"spec: {{template: {{spec: {{enableServiceLinks: null}}}}}}\n---\n{service}"
    return [f"{one.rule} {one.severity}" for one in said(laid("deployment", patch))]


def test_only_services_that_set_variables_collide() -> None:
    head = "apiVersion: v1\nkind: Service\nmetadata: {name: vllm, namespace: %s}\nspec: {%s}"
    assert _beside(head % ("serving", "selector: {app: chat}")) == ["GPU613 error"]
    assert _beside(head % ("serving", "clusterIP: None")) == []
    assert _beside(head % ("serving", "type: ExternalName, externalName: x.y")) == []
    assert _beside(head % ("other", "selector: {app: chat}")) == []
    assert _beside((head % ("serving", "")).replace("vllm", "vllm-chat")) == ["GPU613 info"]


def test_a_home_of_the_images_own_user_is_one() -> None:
    """C-22: the image knows its user; the root filesystem has to be writable for it, though."""
    words = "env: [{name: HOME, value: /}, {name: HF_HOME, value: /}]"
    patch = main(words + "\nsecurityContext: {readOnlyRootFilesystem: %s, runAsUser: %s}")

    def rules(read_only: str, user: int) -> list[str]:
        return [one.rule for one in said(laid("deployment", patch % (read_only, user)))]

    assert rules("true", 2000) == ["GPU609"]
    assert rules("false", 2000) == []
    assert rules("false", 3000) == ["GPU609"]
