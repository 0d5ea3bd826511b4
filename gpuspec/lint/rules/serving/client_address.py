"""An address of a model server whose path or port the server does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import msgspec

from gpuspec import runtimes
from gpuspec.lint.analysis.network.addresses import services_at
from gpuspec.lint.analysis.network.callers import service_port
from gpuspec.lint.analysis.reading.mounted import MountedFile, contents, mounted
from gpuspec.lint.analysis.serving.selecting import selector
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.numbers import read_whole
from gpuspec.objects.collection import Collection
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Object, Pod
from gpuspec.products import is_under_v1, litellm_base, model_variables, variable_base

RULE = Rule(
    "GPU885",
    "client-address",
    "warning",
    "A client's address of a model server has a path or port that the server lacks",
    gives_way=("GPU877",),
    fix="unsafe",
)
_LONGEST = 2000
_ADDRESS = re.compile(
    r"\b(?P<scheme>https?)://(?P<host>[a-z][-.a-z0-9]{0,252})(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[^\s;,'\"?#]*)?(?![^\s;,'\"?#])"
)
_PORTS = {"http": 80, "https": 443}
_OLLAMA = 11434
_WRONG_UNDER = ("/v1", "/api")
"""Paths of Ollama's API that its clients append themselves."""
_TELLING = ("vllm", "sglang", "ollama")
"""Servers with OpenAI's paths under /v1 alone, after which Services outside of the run are called."""
_SERVED_BY_NAME = ("openai", "hosted_vllm")
"""LiteLLM's providers that request a model by the rest of its name."""


class _Address(msgspec.Struct, frozen=True):
    """An address in a client's configuration."""

    scheme: str
    host: str
    port: int
    path: str
    whole: str


class _Place(msgspec.Struct, frozen=True):
    """Where an address is written: in the pod, or in a file of a ConfigMap."""

    path: Path
    object: int | None = None
    inside: Path | None = None


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield addresses in variables and in LiteLLM's list of models."""
    collection = context.collection
    for container in pod.every:
        for name in container.env:
            value = container.env_value(name) or ""
            base = variable_base(name, container.image) if "://" in value else None
            if base is None:
                continue
            place = _Place((*container.env_path(name), "value"))
            for address in _addresses(value):
                yield from _path(address, base, f"`{name}`", place, pod, collection, value)
        yield from _asked_model(pod, container, collection)
        if "litellm" in container.image.rpartition("/")[2]:
            yield from _litellm(pod, container, collection)


def _asked_model(pod: Pod, container: PodContainer, collection: Collection) -> Iterator[RawFinding]:
    """Yield the model in a variable of a client with one address, which no server there answers to."""
    addresses = {
        address
        for name in container.env
        if variable_base(name, container.image) is not None
        for address in _addresses(container.env_value(name) or "")
    }
    if len(addresses) != 1:
        return
    services = services_at(next(iter(addresses)).host, pod, collection)
    if len(services) != 1 or not selector(services[0]):
        return
    for name in model_variables():
        model = container.env_value(name) or ""
        if model and "$" not in model and "{" not in model:
            yield _not_served(
                services[0],
                model,
                _Place((*container.env_path(name), "value")),
                f"the requests for `{name}` get status 404",
                f"set `{name}` to the server's `--served-model-name`, or to its model if the option is "
                "not set; behind LiteLLM to a `model_name` of LiteLLM's list",
            )


def _litellm(pod: Pod, container: PodContainer, collection: Collection) -> Iterator[RawFinding]:
    """Yield faults in the servers of LiteLLM's configuration, if its file is in the set."""
    file = container.words.value("--config") or container.env_value("CONFIG_FILE_PATH") or ""
    config = mounted(pod, container, file, collection) if file else None
    if config is None:
        return
    for index, model in enumerate(items(config.settings.get("model_list"))):
        params = mapping(mapping(model).get("litellm_params"))
        name, api_base = text(params.get("model")), text(params.get("api_base"))
        inside: Path = ("model_list", index, "litellm_params")
        for address in _addresses(api_base):
            place = _in_file(config, (*inside, "api_base"))
            base = litellm_base(name)
            yield from _port(address, place, pod, collection)
            if base is not None:
                yield from _path(address, base, f"`{name}`", place, pod, collection)
            yield from _model(address, name, config, (*inside, "model"), pod, collection)


def _in_file(config: MountedFile, inside: Path) -> _Place:
    return _Place(config.object.path("data", config.key), config.object.number, inside)


def _addresses(value: str) -> Iterator[_Address]:
    if "://" not in value or "{" in value:
        return
    for match in _ADDRESS.finditer(value[:_LONGEST]):
        port = read_whole(match["port"]) if match["port"] else _PORTS[match["scheme"]]
        if port and "$" not in match[0]:
            yield _Address(match["scheme"], match["host"], port, match["path"] or "", match[0])


def _port(
    address: _Address, place: _Place, pod: Pod, collection: Collection
) -> Iterator[RawFinding]:
    """Yield a port that no Service of the name has."""
    services = services_at(address.host, pod, collection)
    ports = [[mapping(port) for port in items(obj.spec.get("ports"))] for obj in services]
    if not services or any(
        not listing or service_port(obj, address.port) is not None or not _forwards(obj)
        for obj, listing in zip(services, ports, strict=True)
    ):
        return
    numbers = [port.get("port") for port in ports[0]]
    if not all(isinstance(number, int) for number in numbers):
        return
    listed = " and ".join(map(str, numbers))
    yield RawFinding(
        place.path,
        f"Service `{services[0].name}` has no port {address.port}, only {listed}: each connection "
        f"to `{address.whole}` times out or is refused",
        note=f"write the Service's port, {listed}, not the container's",
        confidence="likely",
        object=place.object,
        inside=place.inside,
        related=(RelatedPlace(services[0].number, services[0].path("spec", "ports"), "its ports"),),
    )


def _forwards(service: Object) -> bool:
    """Return whether a Service has an address of its own, at which only its ports are open."""
    return service.spec.get("clusterIP") != "None" and service.spec.get("type") != "ExternalName"


def _path(
    address: _Address,
    base: str,
    who: str,
    place: _Place,
    pod: Pod,
    collection: Collection,
    value: str = "",
) -> Iterator[RawFinding]:
    """Yield a path with which the client requests what the server does not have."""
    path = address.path.rstrip("/")
    right = address.whole.rstrip("/") + f"/{base}"
    if base and not path and _is_in_cluster(address, pod, collection):
        message = f"{who} needs the `/{base}` of `{right}`: without it the server answers 404"
        services = services_at(address.host, pod, collection)
        tells = who.startswith("`hosted_vllm/") or any(
            server in address.host.partition(".")[0] for server in _TELLING
        )
        if address.port != _OLLAMA and not services and not tells:
            return
    elif not base and path in _WRONG_UNDER:
        right = address.whole.removesuffix("/").removesuffix(path)
        message = (
            f"{who} needs Ollama's address without `{path}`: the client appends its own path, and "
            "gets 404"
        )
        services = []
    else:
        return
    fix = None
    if place.object is None and value.count(address.whole) == 1:
        fix = Fix(f"write `{right}`", (Put(place.path, value.replace(address.whole, right)),))
    yield RawFinding(
        place.path,
        message,
        note=f"write `{right}`",
        confidence="likely",
        fix=fix,
        object=place.object,
        inside=place.inside,
        unless=partial(_may_answer, services[0]) if services and address.port != _OLLAMA else None,
    )


def _is_in_cluster(address: _Address, pod: Pod, collection: Collection) -> bool:
    return (
        "." not in address.host
        or ".svc" in address.host
        or bool(services_at(address.host, pod, collection))
    )


def _may_answer(service: Object, collection: Collection) -> bool:
    """Return whether a server behind a Service may serve the paths at its root."""
    pods = collection.selected(service.namespace, selector(service)).pods
    servers = [runtimes.recognise(image) for pod in pods for image in pod.images]
    return not servers or not all(server is not None and is_under_v1(server) for server in servers)


def _model(
    address: _Address,
    name: str,
    config: MountedFile,
    inside: Path,
    pod: Pod,
    collection: Collection,
) -> Iterator[RawFinding]:
    """Yield a model that no server behind the Service has."""
    provider, _, model = name.partition("/")
    services = services_at(address.host, pod, collection)
    if provider not in _SERVED_BY_NAME or len(services) != 1 or not selector(services[0]):
        return
    yield _not_served(
        services[0],
        model,
        _in_file(config, inside),
        "LiteLLM gets status 404",
        f"write `{provider}/` and the server's `--served-model-name`; if that is not set, its "
        "model's name",
    )


def _not_served(
    service: Object, model: str, place: _Place, consequence: str, note: str
) -> RawFinding:
    return RawFinding(
        place.path,
        f"no server behind Service `{service.name}` serves `{model}`: {consequence}",
        note=note,
        confidence="likely",
        object=place.object,
        inside=place.inside,
        related=(RelatedPlace(service.number, service.path("metadata", "name"), "this Service"),),
        unless=partial(_may_serve, service, model),
    )


def _may_serve(service: Object, model: str, collection: Collection) -> bool:
    pods = collection.selected(service.namespace, selector(service)).pods
    if "litellm" in service.name and not any(pod.images for pod in pods):
        names = _listed(service.namespace, collection)
        return not names or model in names or any("*" in name for name in names)
    return not pods or any(
        not pod.served or model in pod.served or "$" in "".join(pod.served) for pod in pods
    )


def _listed(namespace: str, collection: Collection) -> set[str]:
    """Return the names in LiteLLM's list of models, if one ConfigMap of a namespace has such a list;
    empty if models come from its database as well."""
    files = [
        settings
        for obj in collection.of("", "ConfigMap")
        if obj.namespace == namespace
        for content in mapping(obj.value.get("data")).values()
        if "model_list" in text(content)
        for settings in [contents(text(content))]
        if "model_list" in settings
    ]
    if len(files) != 1 or at(files[0], ("general_settings", "store_model_in_db")):
        return set()
    listed = {text(mapping(model).get("model_name")) for model in items(files[0].get("model_list"))}
    aliases = mapping(at(files[0], ("router_settings", "model_group_alias")))
    return listed | {text(alias) for alias in aliases}
