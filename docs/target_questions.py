"""What the page of targets asks each of them: small specs, and a title for each."""

from typing import Any, NamedTuple

Fields = dict[str, Any]


class Question(NamedTuple):
    """A spec to be carried."""

    title: str
    fields: Fields
    profile: str = "generic"


BASES: dict[str, Fields] = {
    "Training": {"image": "ghcr.io/example/train:1.0.0", "command": ["python", "train.py"],
                 "checkpoint": {"pvc": "runs", "every": "30m"}},
    "FineTune": {"image": "ghcr.io/example/tune:1.0.0", "command": ["python", "tune.py"],
                 "baseModel": {"id": "org/model", "size": "16Gi", "source": {"pvc": "weights"}},
                 "checkpoint": {"pvc": "runs", "every": "30m"}},
    "BatchInference": {"image": "ghcr.io/example/score:1.0.0", "command": ["python", "score.py"]},
    "Inference": {"runtime": "vllm", "image": "vllm/vllm-openai:v0.33.0",
                  "model": {"id": "org/model", "size": "16Gi", "source": {"pvc": "weights"}}},
}  # fmt: skip
SEVERAL = {"workers": 2, "gpu": {"count": 8}}
JOINED = {"workers": 2, "gpu": {"models": ["GB200"], "count": 4}, "architecture": "arm64"}
ROLE = {"name": "loader", "resources": {"cpu": 4, "memory": "8Gi"}}
SPREAD = {"nodes": 2, "gpu": {"count": 8}}
SLICE = {"workers": 4, "gpu": {"models": ["TPU-v5e"], "count": 4}}
ASLEEP = {"min": 0, "max": 4, "target": 5, "metricFrom": {"query": "sum(queued) or vector(0)"}}
QUESTIONS: dict[str, tuple[Question, ...]] = {
    "Training": (
        Question("one worker", {}),
        Question("several workers", SEVERAL),
        Question("several workers and another kind of pod (`roles`)", SEVERAL | {"roles": [ROLE]}),
        Question("a queue", SEVERAL | {"queue": "research"}),
        Question("the launcher `torchrun`", SEVERAL | {"launcher": "torchrun"}),
        Question("a command without a launcher", SEVERAL | {"launcher": "none"}),
        Question("the image's own command", {"command": None}),
        Question("retries", SEVERAL | {"retries": {"limit": 2}}),
        Question("an exit code that ends the run", SEVERAL | {"retries": {"failOnExitCodes": [3]}}),
        Question("a maximum duration", SEVERAL | {"duration": {"max": "8h"}}),
        Question(
            "deletion after a time (`ttlAfterFinished`)", SEVERAL | {"ttlAfterFinished": "1d"}
        ),
        Question("a fixed name (`fixedName`)", SEVERAL | {"fixedName": True}),
        Question("a name of 50 characters", SEVERAL | {"run": "r" * 45}),
        Question("GPUs by claim", {"gpu": {"count": 8}}, "claims"),
        Question("NVLink across nodes", JOINED, "claims"),
        Question("a TPU slice of several hosts", SLICE, "gke-tpu"),
    ),
    "BatchInference": (
        Question("shards", {"shards": {"count": 4}}),
        Question("a queue", {"shards": {"count": 4}, "queue": "research"}),
        Question("a schedule", {"schedule": {"cron": "@daily"}}),
        Question("a schedule and a queue", {"schedule": {"cron": "@daily"}, "queue": "research"}),
    ),
    "Inference": (
        Question("replicas", {"replicas": 2}),
        Question("replicas scaled by an HPA", {"replicas": {"min": 1, "max": 4}}, "operators"),
        Question("replicas scaled by KEDA, to zero", {"replicas": ASLEEP}, "eks-karpenter"),
        Question("a model on several nodes", SPREAD),
        Question("GPUs by claim", {"gpu": {"count": 8}}, "claims"),
        Question("a queue", {"queue": "serving"}),
        Question("a queue for a model on several nodes", SPREAD | {"queue": "serving"}),
        Question("separate pods for prompts (`prefill`)", {"prefill": {"replicas": 2}}),
    ),
}
KINDS: dict[str, tuple[str, Question]] = {
    "Training": ("Training", Question("", {})),
    "FineTune": ("FineTune", Question("", {})),
    "BatchInference": ("BatchInference", Question("", {})),
    "with a `schedule`": ("BatchInference", Question("", {"schedule": {"cron": "@daily"}})),
    "Inference": ("Inference", Question("", {})),
}
