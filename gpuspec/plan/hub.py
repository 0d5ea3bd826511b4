"""Models that are downloaded at start: the credential, by reference."""

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, Note, Origin, from_spec

# What Hugging Face's library reads, for programs whose own variable nobody knows.
HUB_TOKEN = "HF_TOKEN"
NIM = "nim"
# The NIM image without a model of its own, by the last part of the repository: it is told which
# model to serve. The others hold one, and nothing is to be told. (Images of version 1 called
# `llm-nim` take another variable, which their users set.)
MODEL_FREE = "model-free-nim"


def told_model(case: Case) -> bool:
    """Whether the server is told a hub's model: a NIM image with a model of its own is not."""
    if case.runtime.name != NIM:
        return True
    name = case.spec.image.partition("@")[0].rpartition("/")[2].partition(":")[0]
    return name == MODEL_FREE


def notes(case: Case) -> list[Note]:
    """A word where the spec's model is recorded, and the image decides what is served."""
    if case.model is None or case.model[1].source.hub is None or told_model(case):
        return []
    path = (*case.model[0], "id")
    text = f"the image of {case.runtime.title} decides which model it serves; it is told none"
    return [Note(text, Origin("spec", path))]


def token(case: Case) -> tuple[Leaf, ...]:
    """The hub's access token; nothing where the weights are local or no Secret is named."""
    hub = case.model[1].source.hub if case.model else None
    if case.model is None or hub is None or not hub.token_secret:
        return ()
    path: Path = (*case.model[0], "source", "hub", "tokenSecret")
    source = {"secretKeyRef": {"name": hub.token_secret, "key": hub.token_key}}
    entry = {"name": _variable(case.runtime, told=told_model(case)), "valueFrom": source}
    return (from_spec(path, entry, "by reference: nothing secret is written"),)


def _variable(runtime: runtimes.Runtime, *, told: bool) -> str:
    if runtime.name == NIM and told:
        # The model then comes from Hugging Face (`hf://…`), not from NVIDIA's catalogue.
        return HUB_TOKEN
    known = runtime.weights.token if runtime.weights else None
    return known or HUB_TOKEN
