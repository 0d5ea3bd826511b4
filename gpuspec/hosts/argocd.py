"""Argo CD's plugin protocol: the requests of an Application, and the parameters announced to it.

Anyone who may edit an Application writes the environment. It selects among the contents of the
repository and gpuspec, and sets fields of specs, which are validated like specs; it is never a
command.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.escaping.characters import visible
from gpuspec.hosts.argocd_parameters import LINT, ArgoParameters, read_parameters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gpuspec import Finding, Rendering, Workload

ANNOTATION = "gpuspec.dev/lint"
"""The annotation for the errors that the linter found, with the parameter `lint: annotate`."""
# What other tools of Argo CD's take a folder for, which discovery leaves to them.
_OTHERS = ("Chart.yaml", "kustomization.yaml", "kustomization.yml", "Kustomization")


class GenerateRequest(NamedTuple):
    """The request of `generate`."""

    specs: list[str]
    profile: str | None
    settings: list[str]
    lint: str


@contextmanager
def entered(environ: Mapping[str, str]) -> Iterator[str]:
    """Enter the Application's folder, and read nothing outside of the repository; yields its root."""
    from gpuspec import confined

    root = _enter(environ)
    with confined(root, "the repository"):
        yield root


def _enter(environ: Mapping[str, str]) -> str:
    """Go to the Application's folder; returns the repository's root.

    Argo CD starts some commands in that folder and some, depending on its version, at the root.
    """
    folder = os.path.realpath(".")
    steps = [s for s in environ.get("ARGOCD_APP_SOURCE_PATH", "").split("/") if s not in ("", ".")]
    if not steps or ".." in steps:
        return folder
    path = "/".join(steps)
    if not folder.endswith(f"/{path}") and os.path.isdir(path):
        os.chdir(path)
        return folder
    # What was sent may begin below the repository's root: then the path's end alone leads here.
    ends = ("/".join(["", *steps[start:]]) for start in range(len(steps)))
    return next((folder.removesuffix(end) or "/" for end in ends if folder.endswith(end)), folder)


def request(
    environ: Mapping[str, str], root: str, arguments: Iterable[str] = ()
) -> GenerateRequest:
    """Return an Application's request in a repository; `arguments` are specs on the plugin's
    command line.

    Raises `InputError` with all faults of its parameters.
    """
    argo_parameters = read_parameters(environ, root)
    specs = [*arguments]
    if specs and argo_parameters.specs:
        from gpuspec import InputError, Problem

        message = "parameter `specs`: this plugin's command line names the specs itself"
        raise InputError([Problem(message, hint="omit the parameter")])
    return GenerateRequest(
        specs or argo_parameters.specs or ["."],
        argo_parameters.profile,
        argo_parameters.settings,
        argo_parameters.lint,
    )


def discover(environ: Mapping[str, str], root: str) -> str | None:
    """Return a file that holds a spec: one that the Application names, or else one in its folder.

    Argo CD also calls this for a plugin that an Application names. Raises `InputError` if an
    Application with any `plugin` has no spec, so that it shows the reason.
    """
    from gpuspec import InputError, Problem, find_specs

    try:
        specs = read_parameters(environ, root).specs
    except InputError:  # `generate` says what is wrong with them
        specs = []
    other_tool = next((name for name in _OTHERS if os.path.exists(name)), None)
    if specs or not other_tool:
        if spec := next(find_specs(*(specs or ["."])), None):
            return spec
        text = f"no gpuspec workload in {', '.join(specs) or 'the folder of the Application'}"
        hint = "a spec begins with apiVersion: gpuspec.dev/v1alpha1"
    else:
        text = f"because of {other_tool}, Argo CD takes the Application's folder for another tool"
        hint = "name the specs in the parameter `specs`, such as chat.yaml"
    if "ARGOCD_APP_PARAMETERS" in environ:
        raise InputError([Problem(text, hint=hint)])
    return None


def served(environ: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return version and APIs of the cluster that Argo CD applies to; empty if it does not pass
    them.
    """
    apis = environ.get("KUBE_API_VERSIONS", "").split(",")
    return environ.get("KUBE_VERSION", "").strip(), [
        name for entry in apis if (name := entry.strip())
    ]


def annotated(renderings: Iterable[Rendering], findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return the objects, with the findings about each as annotations.

    A finding about a spec goes to all objects of the spec; any other finding goes to all objects.
    """
    names: list[set[tuple[str, str, str]]] = []
    objects: list[dict[str, Any]] = []
    for rendering in renderings:
        for obj in rendering.objects:
            metadata = obj["metadata"]
            object_name = (obj["kind"], metadata.get("namespace", ""), metadata["name"])
            names.append(
                {
                    object_name,
                    (rendering.kind, rendering.resolution.workload.namespace, rendering.name),
                }
            )
            objects.append(obj)
    texts_by_object: list[dict[str, None]] = [{} for _ in objects]
    for finding in findings:
        identity = finding.object
        whole = identity and (identity.kind, identity.namespace, identity.name)
        about = [texts for texts, name in zip(texts_by_object, names, strict=True) if whole in name]
        for texts in about or texts_by_object:
            texts[visible(f"{finding.rule}: {finding.message}")] = None
    return [
        _with(obj, "\n".join(texts)) for obj, texts in zip(objects, texts_by_object, strict=True)
    ]


def _with(object_value: dict[str, Any], text: str) -> dict[str, Any]:
    if not text:
        return object_value
    metadata = object_value["metadata"]
    annotations = {**metadata.get("annotations", {}), ANNOTATION: text}
    return {**object_value, "metadata": {**metadata, "annotations": annotations}}


def announcements(files: Iterable[str], workloads: Iterable[Workload]) -> list[dict[str, Any]]:
    """Return the parameters that an Application may set, in the form of Argo CD's announcements."""
    from gpuspec import profile_names, settable

    profiles = f"A file in the repository, or built in: {', '.join(profile_names())}."
    parameters = [
        _string("profile", "Cluster profile", profiles, "generic"),
        {
            "name": "specs",
            "title": "Specs",
            "tooltip": "Files and folders, as seen from the Application's path.",
            "collectionType": "array",
            "array": [file.removeprefix("./") for file in files],
        },
        _string(
            "lint", "Errors of the linter", f"One of: {', '.join(LINT)}.", ArgoParameters().lint
        ),
    ]
    for workload in workloads:
        tooltip = f"A field of {workload.kind} {workload.namespace}/{workload.name}, as YAML."
        parameters += [
            _string(f"{workload.name}:{path}", f"{workload.name}: {path}", tooltip, value)
            for path, value in settable(workload).items()
        ]
    # Of two workloads of one name, a setting means both.
    return list({parameter["name"]: parameter for parameter in reversed(parameters)}.values())[::-1]


def _string(name: str, title: str, tooltip: str, value: str) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "tooltip": tooltip,
        "collectionType": "string",
        "string": value,
    }
