"""An address of a model server without the path that its client expects, or with one too many."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.products import ClientVariable, client_models, client_variables
from gpuspec.runtimes.recognise import is_image

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU886",
    "address-path",
    "warning",
    "A model server's address lacks the path that its client expects, or has one too many",
)
_URL = re.compile(r"https?://([a-z0-9][-.a-z0-9]*)(?::[0-9]+)?(/[^\s?#]*)?")
_LITELLM = "model_list"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield addresses within the cluster in variables, and in LiteLLM's configuration."""
    for pod in obj.pods:
        for container in pod.every:
            for variable in client_variables():
                yield from _of_variable(container, variable)
    if obj.is_a("", "ConfigMap"):
        yield from _of_configuration(obj)


def _of_variable(container: PodContainer, variable: ClientVariable) -> Iterator[RawFinding]:
    if variable.images and not is_image(container.image, variable.images):
        return
    for name in variable.names:
        for address in (container.env_value(name) or "").split(";"):
            problem = _said(address.strip(), variable.form)
            if problem is not None:
                path = (*container.env_path(name), "value")
                yield RawFinding(path, problem[0], note=problem[1], confidence="likely")
                break


def _of_configuration(obj: Object) -> Iterator[RawFinding]:
    for key, content in mapping(obj.value.get("data")).items():
        if _LITELLM not in text(content):
            continue
        try:
            documents = read(text(content), str(key))
        except (InputError, ValueError):
            continue
        models = items(mapping(documents[0].value if documents else None).get(_LITELLM))
        for index, model in enumerate(map(mapping, models)):
            name = text(at(model, ("litellm_params", "model")))
            address = text(at(model, ("litellm_params", "api_base")))
            for form, beginnings in client_models().items():
                problem = _said(address, form) if name.startswith(tuple(beginnings)) else None
                if problem is not None:
                    inside: Path = (_LITELLM, index, "litellm_params", "api_base")
                    yield RawFinding(
                        obj.path("data", key),
                        problem[0],
                        note=problem[1],
                        confidence="likely",
                        inside=inside,
                    )


def _said(address: str, form: str) -> tuple[str, str] | None:
    """Return what is wrong with an address for a client, and what to write."""
    match = _URL.fullmatch(address)
    if match is None or not _is_inside(match[1]):
        return None
    path = (match[2] or "").rstrip("/")
    plain = address.rstrip("/")
    if form == "version" and not path:
        return (
            f"`{address}` lacks the path `/v1`, behind which the client asks for `/chat/completions`: "
            "each request is answered 404",
            f"write `{plain}/v1`",
        )
    if form == "bare" and path in ("/api", "/v1", "/api/v1"):
        return (
            f"`{address}` ends with `{path}`, and the client adds `/api` itself: each request is "
            "answered 404",
            f"write `{plain.removesuffix(path)}`",
        )
    return None


def _is_inside(host: str) -> bool:
    """Return whether a host is a Service's name in its cluster: what is outside may have any path."""
    labels = host.split(".")
    return len(labels) == 1 or labels[2:3] == ["svc"]
