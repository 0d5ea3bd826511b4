"""Security contexts and what lets a workload off."""

from types import ModuleType

import pytest

import gpuspec
from tests.plan.conftest import Make, Refused

EVERY_KIND = ("Training", "FineTune", "BatchInference", "Inference")


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_container_is_restricted(make: Make, pod_security: ModuleType, kind: str) -> None:
    """C-22: GPU pods are not exempt from Pod Security restricted; init and sidecars neither."""
    helpers = {
        "initContainers": [{"name": "fetch", "image": "fetch:1"}],
        "sidecars": [{"name": "log", "image": "log:1"}],
    }
    made = make(kind, **helpers)
    assert pod_security.restricted(made.template) == []
    for container in (*made.pod["initContainers"], made.main):
        context = container["securityContext"]
        assert context["readOnlyRootFilesystem"] is True
        assert context["capabilities"] == {"drop": ["ALL"]}


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_no_token_is_mounted_and_no_service_variables_are_set(make: Make, kind: str) -> None:
    """C-48: nothing in a pod calls the API."""
    made = make(kind)
    assert made.pod["automountServiceAccountToken"] is False
    assert made.pod["enableServiceLinks"] is False


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_token_is_mounted_where_the_spec_asks_for_it(make: Make, kind: str) -> None:
    """Of an account that it names, and with a word of who may use it then."""
    made = make(kind, serviceAccount="watcher", serviceAccountToken=True)
    assert made.pod["automountServiceAccountToken"] is True
    assert made.pod["serviceAccountName"] == "watcher"
    assert "pods have a token of ServiceAccount watcher" in made.loud()
    with pytest.raises(gpuspec.InputError, match="the default one has no permissions"):
        make(kind, serviceAccountToken=True)


def test_volumes_belong_to_a_group_that_is_set_once(make: Make) -> None:
    context = make("Training").pod["securityContext"]
    assert context["fsGroup"] == 1000
    assert context["fsGroupChangePolicy"] == "OnRootMismatch"


def test_the_user_is_the_runtimes_and_the_specs_wins(make: Make) -> None:
    assert make("Inference").pod["securityContext"]["runAsUser"] == 2000
    user = {"uid": 4242, "gid": 4343, "fsGroup": 4444}
    context = make("Inference", user=user).pod["securityContext"]
    assert (context["runAsUser"], context["runAsGroup"], context["fsGroup"]) == (4242, 4343, 4444)


def test_root_needs_a_waiver_whose_reason_stands_on_the_pod(
    make: Make, words: ModuleType, pod_security: ModuleType
) -> None:
    """C-23: root runs in a baseline namespace with a reason."""
    profile = words.cluster(namespaces=[{"name": "legacy", "podSecurity": "baseline"}])
    waivers = {"root": "the licence manager checks for uid 0"}
    made = make("Training", profile, namespace="legacy", waivers=waivers)
    context = made.pod["securityContext"]
    assert (context["runAsNonRoot"], context["runAsUser"]) == (False, 0)
    assert "licence manager" in made.template["metadata"]["annotations"]["gpuspec.dev/waiver-root"]
    broken = pod_security.restricted(made.template)
    assert broken and all("run" in problem.lower() for problem in broken), "root alone is let off"
    assert not made.loud()


def test_root_is_refused_in_a_restricted_namespace(refused: Refused, words: ModuleType) -> None:
    """C-23: there the API server would refuse the pods, one by one."""
    profile = words.cluster(namespaces=[{"name": "default", "podSecurity": "restricted"}])
    text = refused("Training", profile, waivers={"root": "the image needs it"})
    assert text == "namespace default enforces restricted: root is refused there"


def test_root_in_a_namespace_of_which_nothing_is_known_is_said(make: Make) -> None:
    """C-23: a namespace that enforces restricted would refuse it."""
    made = make("Training", waivers={"root": "the image needs it"})
    assert "namespace default must not enforce Pod Security restricted" in made.loud()


def test_a_writable_root_is_for_the_main_container_alone(
    make: Make, pod_security: ModuleType
) -> None:
    made = make(
        "Training",
        waivers={"writableRoot": "writes beside its own code"},
        sidecars=[{"name": "log", "image": "log:1"}],
    )
    assert made.main["securityContext"]["readOnlyRootFilesystem"] is False
    assert made.helper("log")["securityContext"]["readOnlyRootFilesystem"] is True
    assert "gpuspec.dev/waiver-writable-root" in made.template["metadata"]["annotations"]
    assert pod_security.restricted(made.template) == []


def test_a_server_that_is_not_known_to_start_on_a_read_only_root_keeps_it_writable(
    make: Make,
) -> None:
    """C-22: restricted so that it really starts."""
    made = make("Inference", runtime="nim", image="nvcr.io/nim/meta/llama:1.8")
    assert made.main["securityContext"]["readOnlyRootFilesystem"] is False
    path = "spec.template.spec.containers[0].securityContext"
    assert "stays writable" in made.reason(path) and "/opt/nim" in made.reason(path)


TGI = "ghcr.io/huggingface/text-generation-inference"


def test_an_image_that_starts_only_as_root_is_refused(refused: Refused) -> None:
    """C-22: non-root so that it really starts."""
    text = refused("Inference", runtime="tgi", image=f"{TGI}:3.3.7")
    assert "starts only as root since 3.1.1: Since 3.1.1 the image's Python is under /root" in text


def test_an_older_or_rebuilt_image_starts_as_a_user(make: Make) -> None:
    assert not make("Inference", runtime="tgi", image=f"{TGI}:3.1.0").loud().count("root")
    make("Inference", runtime="tgi", image="registry.example.com/own/tgi:3.3.7")


def test_an_image_whose_version_cannot_be_read_gets_a_word(make: Make) -> None:
    made = make("Inference", runtime="tgi", image=TGI + "@sha256:" + "0" * 64)
    assert "starts only as root since 3.1.1, and its tag has no version" in made.loud()


def test_version_tells_what_the_image_does_not(make: Make, refused: Refused) -> None:
    image = TGI + "@sha256:" + "0" * 64
    assert "root" not in make("Inference", runtime="tgi", image=image, version="3.1.0").loud()
    assert "as root since 3.1.1" in refused("Inference", runtime="tgi", image=image, version="3.3")


def test_a_waiver_lets_the_root_image_start(make: Make) -> None:
    made = make(
        "Inference",
        runtime="tgi",
        image=f"{TGI}:3.3.7",
        waivers={"root": "the published image starts no other way"},
    )
    assert made.pod["securityContext"]["runAsUser"] == 0


def test_secrets_are_referenced_and_never_written(make: Make) -> None:
    """C-47: a value that the spec takes from a Secret is a reference in the pod."""
    made = make(
        "Training",
        env={"WANDB_API_KEY": {"secret": "wandb", "key": "api-key"}},
        envFrom=[{"secret": "s3", "prefix": "S3_"}],
        sidecars=[{"name": "log", "image": "log:1", "env": {"KEY": {"secret": "s", "key": "k"}}}],
    )
    assert made.env["WANDB_API_KEY"] == {"secretKeyRef": {"name": "wandb", "key": "api-key"}}
    assert made.main["envFrom"] == [{"prefix": "S3_", "secretRef": {"name": "s3"}}]
    assert "Secret" not in made.kinds()


def test_a_secret_in_plain_text_is_an_error(make: Make) -> None:
    """C-47: it would stand in Git and in every `kubectl get`."""
    with pytest.raises(gpuspec.InputError, match="HF_TOKEN"):
        make("Training", env={"HF_TOKEN": "hf_0123456789"})


SSHD = {
    "waivers": {"root": "sshd starts as root", "capabilities": "sshd changes its user"},
    "capabilities": ["SYS_CHROOT", "SETUID"],
}


def test_root_may_be_given_capabilities_and_helpers_get_none(make: Make) -> None:
    helper = {"name": "own", "image": "ghcr.io/example/own:1"}
    made = make("Training", sidecars=[helper], **SSHD)
    assert made.main["securityContext"]["capabilities"] == {
        "drop": ["ALL"],
        "add": ["SYS_CHROOT", "SETUID"],
    }
    assert made.helper("own")["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert "not needed" not in made.loud()


@pytest.mark.parametrize(
    ("level", "add", "said"),
    [
        ("restricted", ["SYS_CHROOT"], "enforces restricted: SYS_CHROOT is refused there"),
        ("baseline", ["IPC_LOCK", "SYS_PTRACE"], "IPC_LOCK, SYS_PTRACE are refused there"),
        ("baseline", ["SYS_CHROOT"], ""),
        ("privileged", ["IPC_LOCK"], ""),
    ],
)
def test_capabilities_that_the_namespace_refuses(
    make: Make, refused: Refused, words: ModuleType, level: str, add: list[str], said: str
) -> None:
    here = words.cluster(words.pool(), namespaces=[{"name": "default", "podSecurity": level}])
    spec = {**SSHD, "capabilities": add}
    if said:
        assert said in refused("Training", here, **spec)
    else:
        added = make("Training", here, **spec).main["securityContext"]["capabilities"]["add"]
        assert added == add


def test_a_key_of_root_is_read_by_no_group(make: Make) -> None:
    """ssh refuses a key of its own user that the group may read, and the kubelet lets it."""
    volumes = [{"mount": "/keys", "secret": "ssh", "mode": "0400"}]
    made = make("Training", volumes=volumes, **SSHD)
    assert "fsGroup" not in made.pod["securityContext"]
    assert "fsGroup" in make("Training", volumes=volumes).pod["securityContext"]
    plain = [{"mount": "/keys", "secret": "ssh"}]
    assert "fsGroup" in make("Training", volumes=plain, **SSHD).pod["securityContext"]


def test_a_level_that_nobody_knows_is_spoken_of(make: Make) -> None:
    beyond = make("Training", **SSHD | {"capabilities": ["SYS_CHROOT", "IPC_LOCK"]}).loud()
    assert "IPC_LOCK: namespace default must not enforce Pod Security restricted or baseline" in (
        beyond
    )
    assert "restricted or baseline" not in make("Training", **SSHD).loud()


def test_the_main_container_alone_is_root_where_the_spec_says_so(
    make: Make, pod_security: ModuleType
) -> None:
    """What stands beside it has no need of what it may."""
    helper = {"name": "own", "image": "ghcr.io/example/own:1"}
    made = make("Training", sidecars=[helper], user={"mainUid": 0}, **SSHD)
    context = made.main["securityContext"]
    assert (context["runAsUser"], context["runAsNonRoot"]) == (0, False)
    assert context["capabilities"]["add"] == SSHD["capabilities"]
    whole = made.pod["securityContext"]
    assert (whole["runAsUser"], whole["runAsNonRoot"]) == (1000, True)
    assert "runAsUser" not in made.helper("own")["securityContext"]
    assert all("main" in problem for problem in pod_security.restricted(made.template))
    assert "must not enforce Pod Security restricted" in made.loud()
    assert "not needed" not in made.loud()


def test_a_main_container_of_root_needs_the_waiver_and_a_namespace_that_lets_it(
    make: Make, refused: Refused, words: ModuleType
) -> None:
    with pytest.raises(gpuspec.InputError, match="uid 0 is root"):
        make("Training", user={"mainUid": 0})
    profile = words.cluster(namespaces=[{"name": "default", "podSecurity": "restricted"}])
    spec = {"user": {"mainUid": 0}, "waivers": {"root": "the image needs it"}}
    assert "root is refused there" in refused("Training", profile, **spec)


def test_memory_is_locked_by_a_main_container_of_root(make: Make, words: ModuleType) -> None:
    """On a pool whose limit is low, with nothing beside it that is root."""
    rdma = {"resource": "rdma/ib", "memlock": "limited"}
    spec = {
        "gpu": {"count": 8, "interconnect": "rdma"},
        "user": {"mainUid": 0},
        "waivers": {"root": "RDMA locks memory", "capabilities": "RDMA locks memory"},
    }
    made = make("Training", words.cluster(words.pool(rdma=rdma)), **spec)
    assert made.main["securityContext"]["capabilities"]["add"] == ["IPC_LOCK"]
    assert made.pod["securityContext"]["runAsNonRoot"] is True


def test_another_user_of_the_main_container_needs_no_waiver(
    make: Make, pod_security: ModuleType
) -> None:
    made = make("Training", user={"uid": 2000, "mainUid": 3000})
    assert made.main["securityContext"]["runAsUser"] == 3000
    assert made.pod["securityContext"]["runAsUser"] == 2000
    assert pod_security.restricted(made.template) == []
