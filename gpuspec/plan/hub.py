"""Models that are downloaded at start: the credential, by reference."""

from gpuspec.manifests import Path
from gpuspec.models import known_model
from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, Note, Origin, from_spec

# What Hugging Face's library reads, for programs whose own variable nobody knows.
HUB_TOKEN = "HF_TOKEN"
# Variables that give it, or another hub.
_CREDENTIALS = frozenset(
    (HUB_TOKEN, "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH", "HF_ENDPOINT", "NGC_API_KEY")
)


def told_model(case: Case) -> bool:
    """Whether the server is told a hub's model: an image with a model of its own is not."""
    known = case.runtime.weights
    return known is None or known.model_free is None or known.model_free.is_one(case.spec.image)


def downloads(case: Case) -> bool:
    """Whether the weights come onto the node's disk with every pod: no claim keeps them."""
    hub = case.model[1].source.hub if case.model else None
    return hub is not None and not hub.cache


def gated(case: Case) -> list[Note]:
    """A loud word where a model that is downloaded is gated, and nothing gives a token.

    A claim may hold it already, and a Secret as a whole may hold a token.
    """
    if case.model is None or not downloads(case) or case.spec.env_from:
        return []
    path, ref = case.model
    model = known_model(ref.id)
    if model is None or not model.gated or (ref.source.hub and ref.source.hub.token_secret):
        return []
    if not told_model(case) or not _CREDENTIALS.isdisjoint(case.spec.env):
        return []
    field = ".".join(map(str, path[1:]))
    text = (
        f"{ref.id} is gated, and nothing gives a token: the download is refused; write "
        f"{field}.source.hub.tokenSecret"
    )
    return [Note(text, Origin("spec", (*path, "id")), loud=True, doubt=True)]


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
    entry = {"name": _variable(case), "valueFrom": source}
    return (from_spec(path, entry, "by reference: nothing secret is written"),)


def _variable(case: Case) -> str:
    """What the server reads the token from."""
    known = case.runtime.weights
    if known is None:
        return HUB_TOKEN
    if known.model_free is not None and told_model(case):
        return known.model_free.token
    return known.token or HUB_TOKEN
