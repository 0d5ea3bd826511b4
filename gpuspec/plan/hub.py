"""Models that are downloaded at the start: the credential, by reference."""

from gpuspec.manifests import Path
from gpuspec.models import known_model
from gpuspec.plan.decision import Decision, Note, Origin, from_spec
from gpuspec.plan.own_line import named_model
from gpuspec.plan.resolution import Resolution
from gpuspec.spec import Artifact, HubData

# What Hugging Face's library reads, for programs whose own variable nobody knows.
HUB_TOKEN = "HF_TOKEN"
# Variables that give it, or another hub.
_CREDENTIALS = frozenset(
    (HUB_TOKEN, "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH", "HF_ENDPOINT", "NGC_API_KEY")
)


def told_model(resolution: Resolution) -> bool:
    """Return whether the server takes a hub's model as a setting; an image with a model of its own
    does not."""
    weights = resolution.runtime.weights
    return (
        weights is None
        or weights.model_free is None
        or weights.model_free.is_one(resolution.spec.image)
    )


def downloads(resolution: Resolution) -> bool:
    """Return whether every pod downloads the weights to the node's disk, because no claim keeps
    them."""
    hub = resolution.model[1].source.hub if resolution.model else None
    return hub is not None and not keeps_downloads(resolution) and not _lies_elsewhere(resolution)


def _lies_elsewhere(resolution: Resolution) -> bool:
    """Return whether the spec's own command line names a folder or a URL, so that the hub is not
    used."""
    model = named_model(resolution)
    return model is not None and model.elsewhere


def keeps_downloads(resolution: Resolution) -> bool:
    """Return whether a volume of the spec keeps the downloads."""
    hub = resolution.model[1].source.hub if resolution.model else None
    return resolution.spec.caches is not None or bool(hub and hub.cache)


def hub_data(resolution: Resolution) -> tuple[Path, HubData] | None:
    """Return the dataset that the program downloads, with its path in the spec."""
    for field in ("dataset", "input"):
        artifact: Artifact | None = getattr(resolution.spec, field, None)
        if artifact is not None and artifact.hub is not None:
            return ("spec", field, "hub"), artifact.hub
    return None


def gated(resolution: Resolution) -> list[Note]:
    """Return a loud note if a downloaded model is gated and the spec has no token.

    A claim may have the model already, and a Secret whose keys all become variables may have a
    token.
    """
    if resolution.model is None or not downloads(resolution) or resolution.spec.env_from:
        return []
    path, ref = resolution.model
    gated_model = named_model(resolution)
    name = ref.id if gated_model is None else gated_model.name
    model = known_model(name)
    if model is None or not model.gated or (ref.source.hub and ref.source.hub.token_secret):
        return []
    if not told_model(resolution) or not _CREDENTIALS.isdisjoint(resolution.spec.env):
        return []
    field = ".".join(map(str, path[1:]))
    text = f"{name} is gated, and there is no token: the download is refused; write {field}.source.hub.tokenSecret"
    return [Note(text, Origin("spec", (*path, "id")), loud=True, doubt=True)]


def notes(resolution: Resolution) -> list[Note]:
    """Return a note if the spec's model is only recorded, and the image decides what is served."""
    if resolution.model is None or resolution.model[1].source.hub is None or told_model(resolution):
        return []
    path = (*resolution.model[0], "id")
    text = (
        f"the image of {resolution.runtime.title} decides which model it serves; no "
        "argument names one"
    )
    return [Note(text, Origin("spec", path))]


def token(resolution: Resolution) -> tuple[Decision, ...]:
    """Return the hub's access token; none if the weights are local or no Secret is named."""
    decisions: dict[str, Decision] = {}
    if (data := hub_data(resolution)) is not None:
        path, dataset = data
        decisions |= _token(HUB_TOKEN, path, dataset.token_secret, dataset.token_key)
    hub = resolution.model[1].source.hub if resolution.model else None
    if resolution.model is not None and hub is not None:
        path = (*resolution.model[0], "source", "hub")
        decisions |= _token(_variable(resolution), path, hub.token_secret, hub.token_key)
    return tuple(decisions.values())


def _token(variable: str, path: Path, secret: str | None, key: str) -> dict[str, Decision]:
    if secret is None:
        return {}
    source = {"secretKeyRef": {"name": secret, "key": key}}
    entry = {"name": variable, "valueFrom": source}
    why = "by reference, so that the manifest contains no secret"
    return {variable: from_spec((*path, "tokenSecret"), entry, why)}


def _variable(resolution: Resolution) -> str:
    """Return the variable from which the server reads the token."""
    weights = resolution.runtime.weights
    if weights is None:
        return HUB_TOKEN
    if weights.model_free is not None and told_model(resolution):
        return weights.model_free.token
    return weights.token or HUB_TOKEN
