"""Writable places, weights, data, and how claims become volumes."""

from pathlib import Path
from types import ModuleType

import pytest

import gpuspec
from gpuspec.manifests import Quantity
from tests.plan.conftest import Made, Make, Refused, Values

EXAMPLES = Path(gpuspec.__file__).parents[1] / "examples"


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


def test_caches_follow_a_home_or_a_folder_that_is_put_on_a_volume(make: Make) -> None:
    big = {"volumes": [{"mount": "/big", "size": "100Gi"}]}
    home = make("Training", env={"HOME": "/big/me"}, **big).env
    assert home["XDG_CACHE_HOME"] == "/big/me/.cache"
    assert home["HF_HOME"] == "/big/me/.cache/huggingface"
    cache = make("Training", env={"XDG_CACHE_HOME": "/big/cache"}, **big).env
    assert cache["HF_HOME"] == "/big/cache/huggingface" and cache["HOME"] == "/home/app"
    server = {"runtime": "sglang", "image": "lmsysorg/sglang:v0.5.5"}
    moved = make("Inference", env={"SGLANG_CACHE_DIR": "/big/sgl"}, **server, **big).env
    assert moved["SGLANG_JIT_CACHE_DIR"] == "/big/sgl/jit"


@pytest.mark.parametrize(
    "volume",
    [{"mount": "/big", "pvc": "data", "readOnly": True}, {"mount": "/other", "size": "1Gi"}],
)
def test_caches_stay_in_the_home_where_the_folder_is_on_no_volume_to_write_to(
    make: Make, volume: Values
) -> None:
    made = make("Training", env={"HOME": "/big"}, volumes=[volume])
    assert made.env["HF_HOME"] == "/home/app/.cache/huggingface"


NIM: Values = {"runtime": "nim", "image": "nvcr.io/nim/meta/llama:1.8"}


def test_nims_caches_lie_on_the_claim_that_keeps_downloads(make: Make) -> None:
    model = {"id": "a/b", "source": {"hub": {"cache": "kept"}}}
    made = make("Inference", **NIM, model=model)
    assert made.env["NIM_CACHE_PATH"] == "/model-cache"
    assert made.env["HF_HOME"] == "/model-cache/huggingface"


def test_nims_cache_lies_where_a_volume_is_mounted_for_it(make: Make) -> None:
    kept = {"mount": "/opt/nim/.cache", "pvc": "nim"}
    assert make("Inference", **NIM, volumes=[kept]).env["NIM_CACHE_PATH"] == "/opt/nim/.cache"
    read = {**kept, "readOnly": True}
    assert make("Inference", **NIM, volumes=[read]).env["NIM_CACHE_PATH"] != "/opt/nim/.cache"


def shm(made: Made) -> str | None:
    size: str | None = made.volumes.get("shm", {}).get("emptyDir", {}).get("sizeLimit")
    return size


def test_loaders_that_nobody_counts_are_bounded_by_half_of_the_memory(
    make: Make, words: ModuleType
) -> None:
    made = make("Training", words.cluster(words.pool()), gpu={"count": 8})
    assert shm(made) == "512Gi" and made.limits["memory"] == "1024Gi"
    counted = make("Training", words.cluster(words.pool()), gpu={"count": 8}, dataLoaders=1)
    assert shm(counted) not in (None, "512Gi")
    assert shm(make("Training", words.cluster(words.pool()))) is None


def test_tritons_python_backends_have_their_shared_memory_on_one_gpu(make: Make) -> None:
    triton = {"runtime": "triton", "image": "nvcr.io/nvidia/tritonserver:25.01-py3"}
    model = {"id": "r", "source": {"pvc": "repository"}}
    made = make("Inference", **triton, model=model)
    assert shm(made) == "2304Mi" and "for NCCL" not in str(made.rendering.explanations())
    assert shm(make("Inference")) is None


def test_a_notebook_hears_nothing_of_weights() -> None:
    (notebook,) = gpuspec.load(str(EXAMPLES / "notebook.yaml"))
    assert [one.text for one in gpuspec.render(notebook).notes if one.loud] == []


ON_NODE = {"waivers": {"hostPath": "it is kept on the nodes"}}


def test_a_claim_of_several_models_is_mounted_where_the_spec_says(make: Make) -> None:
    source = {"pvc": "weights", "path": "llama", "mount": "/mnt/models/"}
    made = make("Inference", model={"id": "m", "size": "16Gi", "source": source})
    assert made.mounts["/mnt/models/"]["readOnly"] is True
    assert "/models" not in made.mounts
    assert made.main["args"][0] == "/mnt/models/llama"


def test_output_checkpoints_and_data_on_one_claim_are_one_volume(make: Make) -> None:
    made = make(
        "FineTune",
        dataset={"pvc": "store", "path": "data"},
        checkpoint={"pvc": "store", "path": "kept", "every": "1h"},
        output={"pvc": "store", "path": "out"},
    )
    (name,) = [
        n
        for n, v in made.volumes.items()
        if v.get("persistentVolumeClaim") == {"claimName": "store"}
    ]
    folders = {
        at: (one["subPath"], one.get("readOnly"))
        for at, one in made.mounts.items()
        if one["name"] == name
    }
    assert folders == {
        "/data": ("data", True),
        "/checkpoints": ("kept", None),
        "/output": ("out", None),
    }


def test_weights_and_volumes_may_lie_in_folders_of_the_node(make: Make) -> None:
    source = {"hostPath": "/data01/models", "path": "llama"}
    made = make(
        "Inference",
        model={"id": "m", "size": "16Gi", "source": source},
        volumes=[{"mount": "/kvcache", "hostPath": "/data01/kvcache"}],
        **ON_NODE,
    )
    assert made.volumes["model"]["hostPath"] == {"path": "/data01/models", "type": "Directory"}
    assert made.mounts["/models"]["readOnly"] is True
    assert made.volumes["kvcache"]["hostPath"]["path"] == "/data01/kvcache"
    assert "not needed" not in made.loud()
    notes = made.template["metadata"]["annotations"]
    assert notes["gpuspec.dev/waiver-host-path"] == "it is kept on the nodes"


@pytest.mark.parametrize("level", ["restricted", "baseline"])
def test_a_namespace_that_refuses_folders_of_the_node(
    refused: Refused, words: ModuleType, level: str
) -> None:
    here = words.cluster(words.pool(), namespaces=[{"name": "default", "podSecurity": level}])
    volumes = [{"mount": "/x", "hostPath": "/data01"}]
    text = refused("Training", here, volumes=volumes, **ON_NODE)
    assert f"namespace default enforces {level}: it refuses folders of the node" in text


def test_a_scratch_volume_of_a_class_is_beside_the_nodes_disk(
    make: Make, words: ModuleType
) -> None:
    volumes = [{"mount": "/spill", "size": "1Ti", "storageClass": "fast"}]
    made = make("Training", volumes=volumes)
    spec = made.volumes["spill"]["ephemeral"]["volumeClaimTemplate"]["spec"]
    assert spec == {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "fast",
        "resources": {"requests": {"storage": "1Ti"}},
    }
    assert made.requests["ephemeral-storage"] == make("Training").requests["ephemeral-storage"]
    classes = {"fast": {"accessModes": ["ReadWriteMany"]}}
    shared = make(
        "Training", words.cluster(words.pool(), storage={"classes": classes}), volumes=volumes
    )
    spec = shared.volumes["spill"]["ephemeral"]["volumeClaimTemplate"]["spec"]
    assert spec["accessModes"] == ["ReadWriteMany"]


def test_a_volume_of_a_driver(make: Make) -> None:
    csi = {"driver": "gcsfuse.csi.storage.gke.io", "attributes": {"bucketName": "b"}, "secret": "s"}
    made = make("Training", volumes=[{"mount": "/b", "csi": csi, "readOnly": True}])
    assert made.volumes["b"]["csi"] == {
        "driver": "gcsfuse.csi.storage.gke.io",
        "readOnly": True,
        "volumeAttributes": {"bucketName": "b"},
        "nodePublishSecretRef": {"name": "s"},
    }
    assert made.mounts["/b"]["readOnly"] is True


def test_files_of_a_secret_have_the_mode_that_the_spec_says(make: Make) -> None:
    made = make(
        "Training",
        volumes=[
            {"mount": "/keys", "secret": "keys", "mode": "0400"},
            {"mount": "/run", "configMap": "scripts", "mode": "0755"},
        ],
    )
    assert made.volumes["keys"]["secret"] == {"secretName": "keys", "defaultMode": 0o400}
    assert made.volumes["run"]["configMap"] == {"name": "scripts", "defaultMode": 0o755}


@pytest.mark.parametrize("group", ["initContainers", "sidecars"])
def test_a_claim_is_not_read_only_for_the_container_that_fills_it(make: Make, group: str) -> None:
    one = {"name": "fill", "image": "f:1", "mounts": [{"volume": "model", "path": "/models"}]}
    made = make("Inference", **{group: [one]})
    assert made.volumes["model"]["persistentVolumeClaim"] == {"claimName": "weights"}
    assert made.mounts["/models"]["readOnly"] is True
    one["mounts"] = [{"volume": "model", "path": "/models", "readOnly": True}]
    made = make("Inference", **{group: [one]})
    assert made.volumes["model"]["persistentVolumeClaim"]["readOnly"] is True


def test_caches_lie_on_the_volume_that_is_meant_for_them(make: Make) -> None:
    model = {"id": "m", "size": "16Gi", "source": {"hub": {}}}
    plain = make("Inference", model=model)
    made = make("Inference", model=model, caches={"pvc": "kept", "path": "chat"})
    assert made.mounts["/caches"] == {"name": "caches", "mountPath": "/caches", "subPath": "chat"}
    assert made.volumes["caches"]["persistentVolumeClaim"] == {"claimName": "kept"}
    assert made.env["HF_HOME"] == "/caches/huggingface"
    assert made.env["VLLM_CACHE_ROOT"].startswith("/caches/vllm")
    assert (made.env["HOME"], made.env["XDG_CONFIG_HOME"]) == ("/home/app", "/home/app/.config")
    home = {
        one: found.volumes["home"]["emptyDir"]["sizeLimit"]
        for one, found in (("a", plain), ("b", made))
    }
    assert home["b"] == "1Gi" and home["a"] != "1Gi"


def test_what_the_spec_moves_itself_does_not_lie_among_the_caches(make: Make) -> None:
    volumes = [{"mount": "/big", "size": "100Gi"}]
    made = make("Training", caches={"pvc": "kept"}, volumes=volumes, env={"HF_HOME": "/big/hf"})
    assert made.env["HF_HOME"] == "/big/hf"
    assert made.env["TRITON_CACHE_DIR"] == "/caches/triton"


def test_downloads_on_a_claim_of_their_own_stay_there(make: Make) -> None:
    model = {"id": "m", "size": "16Gi", "source": {"hub": {"cache": "hub-cache"}}}
    made = make("Inference", model=model, caches={"pvc": "kept"})
    assert made.env["HF_HOME"] == "/model-cache"
    assert made.env["TRITON_CACHE_DIR"] == "/caches/triton"


def test_caches_may_lie_on_the_node(make: Make) -> None:
    made = make("Training", caches={"hostPath": "/data01/cache", "mount": "/c"}, **ON_NODE)
    assert made.volumes["caches"]["hostPath"]["path"] == "/data01/cache"
    assert made.env["TORCH_HOME"] == "/c/torch"


def test_a_dataset_of_the_hub_is_downloaded_with_its_token(make: Make) -> None:
    hub = {"id": "org/tickets", "revision": "5f0b02c", "size": "100Gi", "tokenSecret": "hf"}
    made = make("Training", dataset={"hub": hub})
    assert made.env["HF_TOKEN"] == {"secretKeyRef": {"name": "hf", "key": "token"}}
    assert "/data" not in made.mounts
    assert made.workload["metadata"]["annotations"]["gpuspec.dev/dataset"] == "org/tickets@5f0b02c"
    own = Quantity.parse(make("Training").volumes["home"]["emptyDir"]["sizeLimit"]).value
    more = Quantity.parse(made.volumes["home"]["emptyDir"]["sizeLimit"]).value
    assert more - own >= 110 * 2**30
    kept = make("Training", dataset={"hub": hub}, caches={"pvc": "kept"})
    assert kept.volumes["home"]["emptyDir"]["sizeLimit"] == "1Gi"


def test_a_scratch_volume_on_a_disk_of_the_nodes_own(
    make: Make, refused: Refused, words: ModuleType
) -> None:
    volumes = [{"mount": "/spill", "size": "100Gi", "localDisk": True}]
    fast, slow = words.pool("fast", "H100-80GB", localDisk=True), words.pool("slow")
    made = make("Training", words.cluster(fast, slow), volumes=volumes)
    assert made.volumes["spill"]["emptyDir"] == {"sizeLimit": "100Gi"}
    assert "it can run on pool fast" in made.notes()
    assert (
        "pool slow is left out: the profile does not say that its ephemeral storage is"
        in made.notes()
    )
    mounted = words.pool("mounted", localDisk={"path": "/mnt/nvme"})
    made = make("Training", words.cluster(fast, mounted), volumes=volumes)
    assert (
        "pool mounted is left out: the profile does not say that its ephemeral storage is"
        in made.notes()
    )
    assert "no known pool" in refused("Training", volumes=volumes)


def test_the_folder_where_a_pool_has_its_local_disk(
    make: Make, refused: Refused, words: ModuleType
) -> None:
    """The profile names it: a spec knows no node."""
    one = words.pool("one", localDisk={"path": "/mnt/nvme"})
    other = words.pool("other", localDisk={"path": "/mnt/disks"})
    spec = {
        "caches": {"localDisk": True, "path": "caches"},
        "volumes": [{"mount": "/kv", "localDisk": True, "subPath": "kv"}],
        **ON_NODE,
    }
    made = make("Training", words.cluster(words.pool("none"), one, other), **spec)
    assert made.volumes["caches"]["hostPath"] == {"path": "/mnt/nvme", "type": "Directory"}
    assert made.volumes["kv"]["hostPath"] == {"path": "/mnt/nvme", "type": "Directory"}
    assert (made.mounts["/caches"]["subPath"], made.mounts["/kv"]["subPath"]) == ("caches", "kv")
    assert "pool none is left out: the profile does not say where local disks are" in made.notes()
    assert "pool other is left out: its local disk is not where the first choice" in made.notes()
    assert "not needed" not in made.loud()
    here = words.cluster(one, namespaces=[{"name": "default", "podSecurity": "baseline"}])
    assert "it refuses folders of the node" in refused("Training", here, **spec)
    assert "no known pool" in refused("Training", **spec)
