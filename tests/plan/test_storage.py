"""Writable places, weights, data, and how claims become volumes."""

from types import ModuleType

import pytest

from tests.plan.conftest import Make, Refused


@pytest.mark.parametrize("kind", ["Training", "FineTune", "BatchInference", "Inference"])
def test_a_read_only_root_has_the_writable_places_that_images_need(make: Make, kind: str) -> None:
    """C-22: /tmp, a home and the caches, so that a user who is in no passwd file can start."""
    made = make(kind)
    assert made.mounts["/tmp"]["name"] == "tmp"
    assert made.mounts["/home/app"]["name"] == "home"
    assert made.env["HOME"] == "/home/app"
    assert made.env["USER"] == made.env["LOGNAME"] == "app"
    writable = tuple(path for path in made.mounts if not made.mounts[path].get("readOnly"))
    for name in ("HF_HOME", "TORCH_HOME", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"):
        assert made.env[name].startswith(writable)


def test_a_servers_own_caches_are_moved_too(make: Make) -> None:
    assert make("Inference").env["VLLM_CACHE_ROOT"].startswith("/home/app/")


def test_every_scratch_volume_is_bounded(make: Make) -> None:
    made = make("Training", volumes=[{"mount": "/spill", "size": "5Gi"}], dataLoaders=2)
    for volume in made.volumes.values():
        assert "sizeLimit" in volume.get("emptyDir", {"sizeLimit": ""})


def test_weights_on_a_claim_are_mounted_read_only(make: Make) -> None:
    """C-43: from a claim, not downloaded by each replica."""
    made = make("Inference")
    assert made.volumes["model"]["persistentVolumeClaim"] == {
        "claimName": "weights",
        "readOnly": True,
    }
    assert made.mounts["/models"]["readOnly"] is True


def test_a_base_model_is_mounted_for_fine_tuning(make: Make) -> None:
    """C-43: FineTune reads it at /models."""
    assert make("FineTune").mounts["/models"] == {
        "name": "model",
        "mountPath": "/models",
        "readOnly": True,
    }


def test_weights_in_an_image_are_an_image_volume(make: Make, words: ModuleType) -> None:
    """C-43: an artifact of a registry, mounted by the kubelet."""
    model = {"id": "m", "size": "16Gi", "source": {"image": "ghcr.io/example/weights:1"}}
    made = make("Inference", words.cluster(kubernetes="1.36"), model=model)
    assert made.volumes["model"]["image"]["reference"] == "ghcr.io/example/weights:1"


def test_image_volumes_need_a_kubernetes_that_has_them(refused: Refused, words: ModuleType) -> None:
    model = {"id": "m", "size": "16Gi", "source": {"image": "ghcr.io/example/weights:1"}}
    text = refused("Inference", words.cluster(kubernetes="1.35"), model=model)
    assert text.endswith("as a volume needs Kubernetes 1.36; here has 1.35")


def test_a_download_is_kept_by_a_claim_beside_the_home(make: Make) -> None:
    """C-43: the folders above a mount belong to root, so a claim within the home would close the
    other caches to the server."""
    model = {"id": "m", "size": "16Gi", "source": {"hub": {"cache": "hub-cache"}}}
    made = make("Inference", model=model)
    assert made.mounts["/model-cache"]["name"] == "model-cache"
    assert made.env["HF_HOME"] == "/model-cache"
    nested = [p for p in made.mounts if p.startswith("/home/app/")]
    assert not nested


def test_a_servers_own_download_folder_is_the_one_that_is_kept(make: Make) -> None:
    model = {"id": "m", "size": "16Gi", "source": {"hub": {"cache": "hub-cache"}}}
    made = make("Inference", model=model, runtime="nim", image="nvcr.io/nim/meta/llama:1.8")
    assert made.env["NIM_CACHE_PATH"] == "/model-cache"
    assert made.env["HF_HOME"] == "/home/app/.cache/huggingface"


@pytest.mark.parametrize(
    ("kind", "field"), [("FineTune", "baseModel"), ("BatchInference", "model")]
)
def test_gated_models_get_their_token_by_reference_in_every_kind(
    make: Make, kind: str, field: str
) -> None:
    """C-47: HF_TOKEN for programs that download by themselves."""
    made = make(kind, **{field: {"id": "m", "source": {"hub": {"tokenSecret": "hf"}}}})
    assert made.env["HF_TOKEN"] == {"secretKeyRef": {"name": "hf", "key": "token"}}


def test_one_claim_is_one_volume_however_often_it_is_mounted(make: Make) -> None:
    """The kubelet waits for ever for the second of two volumes with one claim."""
    made = make(
        "FineTune",
        baseModel={"id": "m", "size": "16Gi", "source": {"pvc": "store", "path": "base"}},
        dataset={"pvc": "store", "path": "data"},
        output={"pvc": "store", "path": "out"},
        volumes=[{"mount": "/more", "pvc": "store", "name": "more"}],
        sidecars=[{"name": "sync", "image": "s:1", "mounts": [{"volume": "more", "path": "/m"}]}],
    )
    claims = [v for v in made.volumes.values() if "persistentVolumeClaim" in v]
    assert [c["persistentVolumeClaim"] for c in claims] == [{"claimName": "store"}]
    assert made.mounts["/data"] == {
        "name": "model",
        "mountPath": "/data",
        "subPath": "data",
        "readOnly": True,
    }
    assert made.mounts["/output"] == {"name": "model", "mountPath": "/output", "subPath": "out"}
    assert {"name": "model", "mountPath": "/m"} in made.helper("sync")["volumeMounts"]


def test_checkpoints_outlive_the_pod(make: Make) -> None:
    """C-35: training resumes from a volume of its own."""
    made = make("Training", checkpoint={"pvc": "ckpt", "every": "30m", "path": "run-1"})
    assert made.mounts["/checkpoints"]["subPath"] == "run-1"
    assert made.volumes["checkpoints"]["persistentVolumeClaim"] == {"claimName": "ckpt"}


def test_every_source_of_a_volume(make: Make) -> None:
    made = make(
        "Training",
        volumes=[
            {"mount": "/settings", "configMap": "settings", "readOnly": True},
            {"mount": "/keys", "secret": "keys"},
            {"mount": "/art", "image": "ghcr.io/example/art:1"},
            {"mount": "/old", "pvc": "old", "subPath": "x", "readOnly": True},
        ],
    )
    assert made.volumes["settings"]["configMap"] == {"name": "settings"}
    assert made.volumes["keys"]["secret"] == {"secretName": "keys"}
    assert made.volumes["art"]["image"]["reference"] == "ghcr.io/example/art:1"
    assert made.volumes["old"]["persistentVolumeClaim"]["readOnly"] is True
    assert made.mounts["/old"]["subPath"] == "x"
