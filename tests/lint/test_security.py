"""What the rules of security say, how loud, and where they keep silent."""

import pytest

from gpuspec.lint.model import Put
from tests.lint.edges import Edge, laid, main, pod, said, spoken
from tests.lint.pages import raised
from tests.lint.patched import of
from tests.lint.patched import said as patched
from tests.lint.plain import an
from tests.lint.plain import text as plain
from tests.lint.sets import base

PRIVILEGED = "securityContext: {privileged: true, allowPrivilegeEscalation: null}"
AGENT = """
spec:
  template:
    spec:
      %s
      containers:
        - name: main
          resources: {limits: {nvidia.com/gpu: 1}}"""
INFINIBAND = """
spec:
  template:
    spec:
      containers:
        - name: main
          volumeMounts: [{name: scratch, mountPath: /dev/infiniband}]
          resources: %s
      volumes: [{name: scratch, emptyDir: null, hostPath: {path: /dev/infiniband}}]
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
    Edge(
        "all that is held, and more",
        "statefulset",
        main("env: [{name: CUDA_VISIBLE_DEVICES, value: '0,1,2,3'}]"),
        ("GPU604 info",),
    ),
    Edge(
        "more before all that is held",
        "statefulset",
        main("env: [{name: CUDA_VISIBLE_DEVICES, value: '0,2,1'}]"),
        ("GPU604 warning",),
    ),
    *(
        Edge(
            f"CUDA_VISIBLE_DEVICES={value}",
            "deployment",
            main(f'env: [{{name: CUDA_VISIBLE_DEVICES, value: "{value}"}}]'),
            found,
        )
        for value, found in (
            ("GPU-3f2a", ("GPU604 warning",)),
            ("MIG-8c1f2a9e-5c1b-5a5e-9b57-1f0c8b6d2f11", ("GPU604 warning",)),
            ("MIG-GPU-8c1f2a9e-5c1b-5a5e-9b57-1f0c8b6d2f11/3/0", ("GPU604 warning",)),
            ("all", ("GPU604 warning",)),
            ("none", ("GPU604 warning",)),
            ("0", ()),
            ("0,", ()),
            ("0,-1", ()),
            ("0-3", ()),
            ("$(GPUS)", ()),
            ("<the GPU>", ()),
        )
    ),
    *(
        Edge(f"in a command: {line}", "deployment", main(f"command: [sh, -c, '{line}']"), found)
        for line, found in (
            ("CUDA_VISIBLE_DEVICES=3 vllm serve /m --port 8000", ("GPU604 warning",)),
            ("export CUDA_VISIBLE_DEVICES=GPU-3f2a; vllm serve /m", ("GPU604 warning",)),
            ("export CUDA_VISIBLE_DEVICES=0; vllm serve /m", ()),
            ("export CUDA_VISIBLE_DEVICES=$(pick); vllm serve /m", ()),
            ("MY_CUDA_VISIBLE_DEVICES=3 vllm serve /m", ()),
        )
    ),
    # C-52: locked memory.
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
        "a system call that seccomp opens by it",
        "deployment",
        main("securityContext: {capabilities: {add: [SYS_NICE]}}"),
        ("GPU601 info",),
    ),
    Edge(
        "with new privileges sudo may use it",
        "deployment",
        main("securityContext: {allowPrivilegeEscalation: null, capabilities: {add: [CHOWN]}}"),
        ("GPU602 info",),
    ),
    Edge(
        "without new privileges nothing can",
        "deployment",
        main("securityContext: {capabilities: {add: [CHOWN]}}"),
        ("GPU602 info", "GPU607 warning"),
    ),
    Edge(
        "root's home is a mount",
        "deployment",
        main("volumeMounts: [{name: weights, mountPath: /root}, {name: shm, mountPath: /root/hf}]"),
    ),
    Edge(
        "root enters its home",
        "job",
        pod("securityContext: {runAsNonRoot: null, runAsUser: 0}")
        + "\n"
        + main("volumeMounts: [{name: tmp, mountPath: /root/.cache}]").split("    spec:\n", 1)[1],
        ("GPU602 info",),
    ),
    Edge(
        "all of the node's RDMA devices beside those that are allotted",
        "job",
        INFINIBAND % "{limits: {vpc.amazonaws.com/efa: 1}, requests: {vpc.amazonaws.com/efa: 1}}",
        ("GPU601 info", "GPU605 warning"),
    ),
    Edge("no RDMA device is asked for", "job", INFINIBAND % "{}", ("GPU601 info",)),
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
    *(
        Edge(
            f"a folder of the node with a reason, of type {kind}",
            "deployment",
            "spec:\n  template:\n"
            "    metadata: {annotations: {gpuspec.dev/waiver-host-path: given to the servers}}\n"
            f"    spec:\n      volumes: [{{name: hf, hostPath: {{path: /mnt/hf, type: {kind}}}}}]\n"
            "      containers: [{name: main, volumeMounts: [{name: hf, mountPath: /hf}]}]\n",
            found,
        )
        for kind, found in (("Directory", ()), ("DirectoryOrCreate", ("GPU608 warning",)))
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
)


@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge.shows)
def test_edges(edge: Edge) -> None:
    assert spoken(edge) == sorted(edge.said)


def test_a_home_of_the_images_own_user_is_one() -> None:
    """C-22: the image knows its user; the root filesystem has to be writable for it, though."""
    words = "env: [{name: HOME, value: /}, {name: HF_HOME, value: /}]"
    patch = main(words + "\nsecurityContext: {readOnlyRootFilesystem: %s, runAsUser: %s}")

    def rules(read_only: str, user: int) -> list[str]:
        return [one.rule for one in said(laid("deployment", patch % (read_only, user)))]

    assert rules("true", 2000) == ["GPU609"]
    assert rules("false", 2000) == []
    assert rules("false", 3000) == ["GPU609"]


@pytest.mark.parametrize("odd", ["[1]", "x", "{runAsUser: [1]}", "null"])
def test_a_context_that_is_none_gets_no_user(odd: str) -> None:
    """What stands there has no room for a user: nothing is offered, and all the rest is said."""
    text = f"""\
apiVersion: v1
kind: Pod
metadata: {{name: server}}
spec:
  securityContext: {odd}
  containers:
    - name: main
      image: vllm/vllm-openai:v0.19.1
      securityContext: {odd}
      resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""
    found = [one for one in raised(text) if one.rule.code == "GPU602"]
    assert len(found) == 1
    assert "`runAsNonRoot` is not `true`" in found[0].found.message


@pytest.mark.parametrize(
    ("image", "user"),
    [("vllm/vllm-openai:v0.33.0", 2000), ("ghcr.io/example/ours:1.0", None)],
)
def test_whom_an_image_of_ones_own_runs_as_is_not_known(image: str, user: int | None) -> None:
    text = f"""
apiVersion: v1
kind: Pod
metadata: {{name: server}}
spec:
  containers:
    - name: main
      image: {image}
      command: [vllm, serve, /models/m]
      env: [{{name: HOME, value: /home}}]
      resources: {{limits: {{nvidia.com/gpu: 1}}}}
      volumeMounts: [{{name: home, mountPath: /home}}]
  volumes: [{{name: home, emptyDir: {{}}}}]
"""
    (fix,) = [one.found.fix for one in raised(text) if one.rule.code == "GPU602"]
    puts = [] if fix is None else [one for one in fix.changes if isinstance(one, Put)]
    users = [one.value for one in puts if one.path[-1] == "runAsUser"]
    assert users == ([] if user is None else [user])


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("[vllm, serve, /m]", "set `VLLM_API_KEY` with `valueFrom.secretKeyRef`"),
        ("[python3, -m, sglang.launch_server]", "pass it as `$(NAME)`"),
    ],
)
def test_a_server_that_reads_its_key_from_a_variable_is_given_that(
    command: str, advice: str
) -> None:
    patch = main(f"command: {command}\nargs: [--api-key, letmein]")
    (found,) = [one for one in said(laid("deployment", patch)) if one.rule == "GPU611"]
    assert advice in (found.note or "")


def test_a_workflow_fills_in_its_own_parameters() -> None:
    container = {"name": "a", "env": [{"name": "HF_TOKEN", "value": "{{inputs.parameters.token}}"}]}
    flow = {"templates": [{"name": "a", "container": {**container, "image": "b"}}]}
    assert of("GPU611", plain(an("argoproj.io/v1alpha1", "Workflow", spec=flow))) == []


def test_a_server_whose_image_keeps_its_downloads_outside_of_a_home() -> None:
    """TGI's downloads go to `/data`, which only root can make, or where a variable says."""
    tgi = base("deployment-tgi")
    (one,) = tgi["spec"]["template"]["spec"]["containers"]
    one["args"] = ["--model-id", "org/model"]
    one["env"] = [{"name": "HUGGINGFACE_HUB_CACHE", "value": "/scratch/hub"}]
    assert not of("GPU609", plain(tgi))
    one["env"] = []
    (found,) = of("GPU609", plain(tgi))
    assert "downloads its model to `/data`, which only root can create" in found.message


@pytest.mark.parametrize(
    ("security", "limits", "advice"),
    [
        ({}, {"nvidia.com/gpu": 1}, "remove `privileged`: the device plugin"),
        ({"capabilities": {"add": ["IPC_LOCK"]}}, {"nvidia.com/gpu": 1}, "RDMA needs only"),
        ({}, {"nvidia.com/gpu": 1, "vpc.amazonaws.com/efa": 1}, "RDMA needs only"),
    ],
)
def test_what_a_privileged_container_is_privileged_for(
    security: dict[str, object], limits: dict[str, int], advice: str
) -> None:
    """RDMA is spoken of where something of it is there."""
    container = {"name": "main", "image": "a", "resources": {"limits": limits}}
    container["securityContext"] = {"privileged": True, **security}
    (found,) = of("GPU603", plain(an("v1", "Pod", spec={"containers": [container]})))
    assert advice in (found.note or "")


@pytest.mark.parametrize(
    ("shape", "gpus", "others"),
    [
        ("BM.GPU.GB200-v3.4", 4, False),
        ("BM.GPU.H100.8", 4, True),
        ("g6.12xlarge", 4, False),
        ("p5.48xlarge", 4, True),
        ("of-somebody-s-own", 4, True),
        ("of-somebody-s-own", 8, False),
    ],
)
def test_a_privileged_container_that_has_its_node_alone_sees_no_gpu_of_others(
    shape: str, gpus: int, others: bool
) -> None:
    container = {"name": "main", "image": "a", "resources": {"limits": {"nvidia.com/gpu": gpus}}}
    container["securityContext"] = {"privileged": True}
    selector = {"node.kubernetes.io/instance-type": shape}
    spec = {"containers": [container], "nodeSelector": selector}
    assert bool(of("GPU603", plain(an("v1", "Pod", spec=spec)))) is others


FLEET = """
apiVersion: orchestration.aibrix.ai/v1alpha1
kind: RayClusterFleet
metadata: {name: chat}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      headGroupSpec:
        rayStartParams: {}
        template:
          spec:
            containers:
              - name: head
                image: vllm/vllm-openai:v0.33.0
                command: [sh, -c, vllm serve /models/m]
                resources: {limits: {nvidia.com/gpu: 1}}
"""


def test_kuberay_gives_the_head_of_a_fleet_its_account_as_well() -> None:
    """C-48: with the autoscaler, whichever kind makes the cluster."""
    assert of("GPU612", FLEET) == []


OLD = "image: vllm/vllm-openai:v0.10.0"


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("command: [vllm, serve, /models/m]\nargs: null", "command"),
        ("command: [vllm, serve]\nargs: [/models/m]", "args"),
        ("command: null\nargs: null", "args"),
    ],
)
def test_the_command_line_that_lacks_an_option_is_pointed_at(words: str, path: str) -> None:
    """C-48"""
    (one,) = patched("GPU618", "deployment", main(f"{OLD}\n{words}"))
    assert one.path == f"spec.template.spec.containers[0].{path}"


@pytest.mark.parametrize("config", ["{max-model-len: 8192}", "{disable_log_requests: ''}"])
def test_a_model_booster_has_no_arguments_but_a_configuration(config: str) -> None:
    """C-48: kthena, model-booster-controller/utils/template.go (`ConvertVLLMArgsFromJson`)."""
    workers = f"[{{type: server, replicas: 1, pods: 1, {OLD}, config: {config}}}]"
    found = patched("GPU618", "modelbooster", f"spec: {{backend: {{workers: {workers}}}}}")
    if "log" in config:
        assert found == []
    else:
        assert found[0].path == "spec.backend.workers[0].config"
        assert 'add `disable-log-requests: ""` to `config`' in (found[0].note or "")


_LETTERS = "QxWmTrBvKpLsDhJyNcGzRfVtXkHbMwPqSd"


@pytest.mark.parametrize(
    ("name", "value", "level"),
    [
        ("HF_TOKEN", f"hf_{_LETTERS}", "warning"),
        ("HUB", f"hf_{_LETTERS}", "warning"),
        ("HUB", f"api_org_{_LETTERS}", "warning"),
        ("KEY", "AIza" + f"{_LETTERS}7", "warning"),
        ("KEY", f"pplx-{_LETTERS}3x9q7w8e4r5t6z", "warning"),
        ("HF_TOKEN", "hf_" + "x" * 34, "info"),
        ("HF_TOKEN", "hf_" + "aB" * 17, "info"),
        ("HF_TOKEN", "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH", "info"),
        ("HF_TOKEN", "hf_YourHuggingFaceTokenGoesHereKwMzQp", "info"),
        ("HF_TOKEN", "HuggingFaceTokenOfTheTeamKwMzQpRs", "info"),
        ("HUB", "HuggingFaceTokenOfTheTeamKwMzQpRs", None),
        ("HUB", f"xhf_{_LETTERS}", None),
    ],
)
def test_a_token_of_letters_alone(name: str, value: str, level: str | None) -> None:
    """Hugging Face's tokens have no digit; what stands in for one says so or repeats itself."""
    patch = main(f"env: [{{name: {name}, value: {value}}}]")
    found = [one.severity for one in said(laid("deployment", patch)) if one.rule == "GPU611"]
    assert found == ([] if level is None else [level])


@pytest.mark.parametrize(
    ("resource", "words"),
    [
        ("vpc.amazonaws.com/efa", "libfabric may then find no EFA at all"),
        ("rdma/hca_shared_devices_a", "NCCL and UCX fail to open them"),
        ("nvidia.com/rdma-vf", "NCCL and UCX fail to open them"),
        ("networking.gke.io.networks/rdma-0", "but the container can open only"),
    ],
)
def test_exposed_devices_of_each_fabric(resource: str, words: str) -> None:
    devices = INFINIBAND % f"{{limits: {{{resource}: 1}}, requests: {{{resource}: 1}}}}"
    (found,) = [
        one.found.message for one in raised(laid("job", devices)) if one.rule.code == "GPU605"
    ]
    assert words in found
    assert ("EFA" in found) == (resource == "vpc.amazonaws.com/efa")
