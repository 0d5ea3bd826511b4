"""Contradictions in a spec about what is served: its runtime, model or token, against image, args
and env."""

import re
from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.plan import hub
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.own_line import named_model, option_values, own_line
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.shell import script_of
from gpuspec.spec import InferenceSpec, is_own_image

_ADDRESS = re.compile(r"(?:[a-z]+://)?([^:@]+)")
"""A model as a hub names it, in a URL with a scheme before it and a revision after it."""


def notes(resolution: Resolution) -> list[Note]:
    """Return a loud note for each contradiction in which the field does not decide."""
    if not isinstance(resolution.spec, InferenceSpec):
        return []
    serving_notes = [
        *_image(resolution, resolution.spec),
        *_model(resolution, resolution.spec),
        *_port(resolution, resolution.spec),
        *_token(resolution),
    ]
    return [Note(text, Origin("spec", path), loud=True) for path, text in serving_notes]


def _image(resolution: Resolution, spec: InferenceSpec) -> Iterator[tuple[Path, str]]:
    """Yield an image that is known to hold another server; with a `command` it may hold both."""
    if spec.command or not is_own_image(spec):
        return
    image_runtime = runtimes.recognise(spec.image)
    if image_runtime is not None:
        title = runtimes.get(image_runtime).title
        text = (
            f"the image is one of {title}, but it is started and probed as "
            f"{resolution.runtime.title}: write runtime: {image_runtime}, or the image of "
            f"{spec.runtime}"
        )
        yield ("spec", "runtime"), text


def _model(resolution: Resolution, spec: InferenceSpec) -> Iterator[tuple[Path, str]]:
    """Yield another model in `args` or `env` than the one in the objects."""
    setting, model = resolution.runtime.settings.model, spec.model
    if setting is None or model is None or model.source.hub is None:
        return
    for where, value in (*_in_line(resolution), *_in_env(spec, setting.names)):
        match = _ADDRESS.match(value)
        if (
            match
            and "/" in value
            and "$" not in value
            and not value.startswith("/")
            and match[1] != model.id
        ):
            text = (
                f"{where} makes {resolution.runtime.title} serve {match[1]}, but model.id is "
                f"{model.id}"
            )
            yield ("spec", "model", "id"), text


def _in_line(resolution: Resolution) -> Iterator[tuple[str, str]]:
    model = named_model(resolution)
    if model is not None:
        option_text = "the first word" if model.option is None else f"`{model.option}`"
        yield f"{option_text} in {model.path[1]}", model.name


def _in_env(spec: InferenceSpec, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name in dict.fromkeys(names):
        value = spec.env.get(name)
        if isinstance(value, str):
            yield f"env {name}", value


def _port(resolution: Resolution, spec: InferenceSpec) -> Iterator[tuple[Path, str]]:
    """Yield another port in `command` than the one of probes and Service; in `args` it is an
    error."""
    if not resolution.runtime.ports or (setting := resolution.runtime.ports[0].setting) is None:
        return
    port = spec.expose.container_port or resolution.runtime.ports[0].number
    for option, value in option_values(own_line(resolution), setting):
        where = value.path[1]
        if (where == "command" or script_of(resolution)) and value.text != str(port):
            text = (
                f"`{option} {value.text}` in {where}, but probes and Service use port {port}: "
                f"write expose.containerPort: {value.text}"
            )
            yield value.path, text


def _token(resolution: Resolution) -> Iterator[tuple[Path, str]]:
    """Yield a token for another host than the model's, or one that `env` replaces."""
    for decision in hub.token(resolution):
        name, secret = decision.value["name"], decision.value["valueFrom"]["secretKeyRef"]["name"]
        if name in resolution.spec.env:
            yield (
                decision.origin.path,
                f"env sets {name}, so the token of Secret {secret} is not used",
            )
        elif (
            name != hub.HUB_TOKEN
            and hub.HUB_TOKEN not in resolution.spec.env
            and _of_hub(resolution, secret)
        ):
            yield (
                decision.origin.path,
                (
                    f"{resolution.runtime.title} gets Secret {secret} as {name}; for a model of "
                    f"Hugging Face write env: {{{hub.HUB_TOKEN}: {{secret: {secret}, key: …}}}}"
                ),
            )


def _of_hub(resolution: Resolution, secret: str) -> bool:
    """Return whether the token, or its model, belongs to Hugging Face by its name."""
    values = [value for value in resolution.spec.env.values() if isinstance(value, str)]
    words = re.split(r"[^a-z]+", secret.lower())
    return any(value.startswith("hf://") for value in values) or bool(
        {"hf", "huggingface"} & {*words}
    )
