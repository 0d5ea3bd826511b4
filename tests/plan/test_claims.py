"""Claims by their storage class: how fast they are read, and whether all pods can mount them."""

from types import ModuleType

import pytest

from tests.plan.conftest import Make, Refused, Values

BLOCK = {"classes": {"block": {"accessModes": ["ReadWriteOnce", "ReadOnlyMany"]}}}
NEVER = "pods on other nodes than the first stay Pending"


def on(words: ModuleType, claims: dict[str, str], **classes: object) -> Values:
    storage = {"classes": {**BLOCK["classes"], **classes}, "claims": claims}
    made: Values = words.cluster(words.pool(), storage=storage)
    return made


def test_weights_are_read_as_fast_as_their_class(make: Make, words: ModuleType) -> None:
    fast = {"accessModes": ["ReadWriteMany"], "bandwidth": "1Gi"}
    made = make("Inference", on(words, {"weights": "fast"}, fast=fast))
    startup = made.reason("spec.template.spec.containers[0].startupProbe")
    assert "16Gi ÷ 1024Mi/s (storage.classes.fast.bandwidth) = 16s" in startup
    own = on(words, {"weights": "fast"}, fast=fast)
    own["spec"]["bandwidth"] = {"claims": {"weights": "2Gi"}, "default": "100Mi"}
    startup = make("Inference", own).reason("spec.template.spec.containers[0].startupProbe")
    assert "bandwidth.claims.weights" in startup


def test_a_class_without_a_figure_leaves_it_to_the_profiles_default(
    make: Make, words: ModuleType
) -> None:
    profile = on(words, {"weights": "block"})
    profile["spec"]["bandwidth"] = {"default": "512Mi"}
    reason = make("Inference", profile).reason("spec.template.spec.containers[0].startupProbe")
    assert "512Mi/s (bandwidth.default)" in reason


CHECKPOINT = {"pvc": "ckpt", "every": "30m"}


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("Training", {"workers": 2, "checkpoint": CHECKPOINT}),
        ("FineTune", {"workers": 2, "output": {"pvc": "ckpt"}}),
        ("BatchInference", {"shards": {"count": 4}, "output": {"pvc": "ckpt"}}),
        ("Inference", {"replicas": 2, "volumes": [{"pvc": "ckpt", "mount": "/x"}]}),
        (
            "Inference",
            {
                "replicas": 2,
                "model": {"id": "o/m", "size": "1Gi", "source": {"hub": {"cache": "ckpt"}}},
            },
        ),
    ],
)
def test_a_claim_that_one_node_holds_and_several_pods_write(
    make: Make, words: ModuleType, kind: str, spec: Values
) -> None:
    """C-01: the volume is one of the constraints that must hold together."""
    gpu = {"count": 1}
    loud = make(kind, on(words, {"ckpt": "block"}), gpu=gpu, **spec).loud()
    assert "claim ckpt has storage class block (ReadWriteOnce, ReadOnlyMany)" in loud
    assert NEVER in loud
    assert "it needs ReadWriteMany" in loud


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("Training", {"checkpoint": CHECKPOINT}),
        ("Training", {"workers": 2, "dataset": {"pvc": "ckpt"}}),
        ("BatchInference", {"shards": {"count": 4, "parallelism": 1}, "output": {"pvc": "ckpt"}}),
        ("Inference", {"replicas": 1, "volumes": [{"pvc": "ckpt", "mount": "/x"}]}),
        (
            "Inference",
            {"replicas": 2, "volumes": [{"pvc": "ckpt", "mount": "/x", "readOnly": True}]},
        ),
    ],
)
def test_one_pod_at_a_time_or_readers_only_are_no_trouble(
    make: Make, words: ModuleType, kind: str, spec: Values
) -> None:
    made = make(kind, on(words, {"ckpt": "block"}), gpu={"count": 1}, **spec)
    assert NEVER not in made.loud()


def test_readers_need_a_class_that_many_can_read(make: Make, words: ModuleType) -> None:
    once = {"accessModes": ["ReadWriteOnce"]}
    made = make("Inference", on(words, {"weights": "once"}, once=once), replicas=2)
    assert "it needs ReadOnlyMany or ReadWriteMany" in made.loud()


def test_nothing_is_said_of_claims_whose_class_is_not_known(make: Make, words: ModuleType) -> None:
    spec = {"workers": 2, "checkpoint": CHECKPOINT, "gpu": {"count": 1}}
    assert NEVER not in make("Training", on(words, {}), **spec).loud()
    assert NEVER not in make("Training", on(words, {"ckpt": "any"}, any={}), **spec).loud()


def kept(words: ModuleType, modes: list[str], **fields: object) -> Values:
    """A pool with a spare slot, and a claim `kept` of a class with these modes."""
    storage = {"classes": {"own": {"accessModes": modes}}, "claims": {"kept": "own"}}
    made: Values = words.cluster(words.pool(spare=1, **fields), storage=storage)
    return made


WRITES: Values = {"volumes": [{"pvc": "kept", "mount": "/kept"}]}
READS: Values = {"volumes": [{"pvc": "kept", "mount": "/kept", "readOnly": True}]}
WEIGHTS: Values = {"model": {"id": "o/m", "size": "1Gi", "source": {"pvc": "kept"}}}
HELD = [
    (WEIGHTS, ["ReadWriteOnce"]),
    (WRITES, ["ReadWriteOnce"]),
    (WRITES, ["ReadWriteOnce", "ReadOnlyMany"]),
    (WRITES, ["ReadWriteOncePod"]),
]


@pytest.mark.parametrize(("spec", "modes"), HELD)
def test_a_rollout_does_not_wait_for_a_claim_that_the_old_pod_holds(
    make: Make, words: ModuleType, spec: Values, modes: list[str]
) -> None:
    """C-01: a spare GPU is no help where the volume stays on the old pod's node."""
    made = make("Inference", kept(words, modes), **spec)
    assert made.workload["spec"]["strategy"] == {"type": "Recreate"}
    assert "the old pod holds claim kept of storage class own" in made.reason("spec.strategy")
    several = make("Inference", kept(words, modes), replicas=2, **spec)
    assert several.workload["spec"]["strategy"]["rollingUpdate"]["maxSurge"] == 0


@pytest.mark.parametrize(
    ("spec", "modes"),
    [
        (WEIGHTS, ["ReadOnlyMany"]),
        (WEIGHTS, ["ReadWriteMany"]),
        (READS, ["ReadWriteOnce", "ReadOnlyMany"]),
        (READS, []),
    ],
)
def test_a_claim_that_both_can_mount_rolls_out_by_surge(
    make: Make, words: ModuleType, spec: Values, modes: list[str]
) -> None:
    made = make("Inference", kept(words, modes), **spec)
    assert made.workload["spec"]["strategy"]["rollingUpdate"]["maxSurge"] == 1
    assert "write" not in made.loud()


@pytest.mark.parametrize("modes", [["ReadWriteMany"], []])
def test_a_lone_server_does_not_share_what_it_writes_with_its_successor(
    make: Make, words: ModuleType, modes: list[str]
) -> None:
    """Whatever the class: one node holds it, or two servers write to one folder."""
    made = make("Inference", kept(words, modes), **WRITES)
    assert made.workload["spec"]["strategy"] == {"type": "Recreate"}
    assert "claim kept, because both pods would write to it" in made.reason("spec.strategy")
    several = make("Inference", kept(words, modes), replicas=2, **WRITES)
    assert several.workload["spec"]["strategy"]["rollingUpdate"]["maxSurge"] == 1


@pytest.mark.parametrize(
    ("kind", "spec", "field"),
    [
        ("FineTune", {"output": {"pvc": "kept"}}, "output"),
        ("BatchInference", {"output": {"pvc": "kept"}}, "output"),
        ("Training", {"checkpoint": {"pvc": "kept", "every": "1h"}}, "checkpoint"),
        (
            "Inference",
            {"model": {"id": "o/m", "source": {"hub": {"cache": "kept"}}}},
            "model.source.hub",
        ),
    ],
)
def test_what_is_written_is_not_sent_to_a_claim_that_can_only_be_read(
    refused: Refused, words: ModuleType, kind: str, spec: Values, field: str
) -> None:
    text = refused(kind, kept(words, ["ReadOnlyMany"]), **spec)
    assert text == (
        f"claim kept has storage class own, which is read-only (ReadOnlyMany), but `{field}` "
        "is written"
    )


def test_a_volume_that_can_only_be_read_is_to_be_mounted_so(make: Make, words: ModuleType) -> None:
    profile = kept(words, ["ReadOnlyMany"])
    assert "is read-only: write readOnly: true" in make("Training", profile, **WRITES).loud()
    assert "can only be read" not in make("Training", profile, **READS).loud()


def test_a_helper_that_would_write_to_what_can_only_be_read(make: Make, words: ModuleType) -> None:
    storage = {
        "classes": {"disk": {"accessModes": ["ReadOnlyMany"]}},
        "claims": {"weights": "disk"},
    }
    here = words.cluster(words.pool(), storage=storage)
    fill = {"name": "fill", "image": "f:1", "mounts": [{"volume": "model", "path": "/m"}]}
    made = make("Inference", here, initContainers=[fill])
    assert made.volumes["model"]["persistentVolumeClaim"]["readOnly"] is True
    assert "claim weights has storage class disk, which is read-only" in made.loud()
    fill["mounts"] = [{"volume": "model", "path": "/m", "readOnly": True}]
    assert "can only be read" not in make("Inference", here, initContainers=[fill]).loud()


def test_caches_on_a_claim_that_one_node_holds(make: Make, words: ModuleType) -> None:
    storage = {"classes": {"disk": {"accessModes": ["ReadWriteOnce"]}}, "claims": {"kept": "disk"}}
    here = words.cluster(words.pool(), storage=storage)
    made = make("Inference", here, replicas=2, caches={"pvc": "kept"})
    assert "claim kept has storage class disk (ReadWriteOnce), and 2 pods mount it" in made.loud()
