"""The config of the transformer that lints."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from gpuspec.hosts.krm_wire import GROUP

VERSION = f"{GROUP}/v1alpha1"
KIND = "Lint"
Severity = Literal["error", "warning", "info"]


class Lint(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """The settings of a `Lint`; see `gpuspec.lint_text`."""

    profile: Annotated[
        str | None,
        Meta(
            description="A built-in name, or a file relative to the kustomization's folder. Default: the "
            "configuration's."
        ),
    ] = None
    select: Annotated[
        list[str], Meta(description="Only these rules: a code, its beginning (GPU4), or a name.")
    ] = []
    ignore: Annotated[list[str], Meta(description="Skip these rules.")] = []
    severity: Annotated[
        Severity | None,
        Meta(
            description="Hide findings below this severity. Default: info; standard error only counts "
            "infos."
        ),
    ] = None
    fail_on: Annotated[
        Severity, Meta(description="Findings of this severity or above fail the build.")
    ] = "error"
    annotate: Annotated[
        bool, Meta(description="Annotate each object with the version of gpuspec that linted it.")
    ] = False


def lint_config(config: dict[str, Any]) -> Lint:
    """Return the settings in a function's config. Raises `InputError` for any other config."""
    from gpuspec import InputError, Problem

    version, kind = config.get("apiVersion"), config.get("kind")
    if (version, kind) != (VERSION, KIND):
        message = (
            f"functionConfig is {kind} of {version}" if config else "functionConfig is missing"
        )
        hint = f"write a spec of gpuspec.dev/v1alpha1, or a {KIND} of {VERSION}"
        raise InputError([Problem(message, hint=hint)])
    unknown = [key for key in config if key not in ("apiVersion", "kind", "metadata", "spec")]
    if unknown:
        raise InputError([Problem(f"{KIND}: unknown field `{unknown[0]}`", hint=_fields())])
    spec = config.get("spec")
    try:
        return msgspec.convert({} if spec is None else spec, Lint)
    except msgspec.ValidationError as error:
        raise InputError([Problem(f"{KIND}: spec: {error}", hint=_fields())]) from None


def _fields() -> str:
    return f"fields of `spec` are {', '.join(Lint.__struct_encode_fields__)}"
