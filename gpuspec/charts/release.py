"""Releases of Helm charts that objects request: the chart, its version, and the values as written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path

FLUX = "helm.toolkit.fluxcd.io"
ARGO = "argoproj.io"
KUSTOMIZE = "kustomize.config.k8s.io"
HELM = "helm.sh"
K3S = "helm.cattle.io"
_REPOSITORIES = ("GitRepository", "Bucket")
"""Sources of Flux in which a chart is a folder."""
_OF_HELM = ("enabled", "global", "tags")
"""Keys among a dependency's values that Helm and the parent chart read."""


class Release(msgspec.Struct, frozen=True):
    """A chart with the values of an object."""

    chart: str
    version: str
    values: dict[str, Any]
    path: Path
    """The path of the values, from the document's root."""
    is_text: bool
    """Whether the values are a text there, which is YAML."""
    whole: bool
    """Whether no other values are merged with them: from files, parameters, other objects."""
    is_final: bool = False
    """Whether the object has all that changes what the chart makes: no values from elsewhere, no
    patches of the output."""
    name: str = ""
    """Helm's name of the release."""
    namespace: str = ""
    """The namespace of its objects; empty if it is not set."""
    source: tuple[str, str, str] = ("", "", "")
    """Kind, namespace and name of the object with the chart's location, if nothing else names the
    chart: `chart` is then that object's name.
    """
    folder: str = ""
    """The chart's folder, relative to its repository's root, if it is in one."""
    inside: Path = ()
    """The place of a dependency's values inside of a text."""
    conditions: tuple[str, ...] = ()
    """Keys at the top of a dependency's values that its parent's Chart.yaml reads."""

    def place(self, *steps: str | int) -> tuple[Path, Path | None]:
        """Return the path of a value, from the document's root, and if the values are a text, the
        path in it.
        """
        if self.is_text:
            return self.path, (*self.inside, *steps)
        return (*self.path, *steps), None

    def brought(self, key: str, chart: str) -> Release:
        """Return the release of a dependency, whose values are under a key."""
        values = self.values.get(key)
        own_values = {
            name: value for name, value in mapping(values).items() if name not in _OF_HELM
        }
        return msgspec.structs.replace(
            self,
            chart=chart,
            version="",
            values=own_values,
            path=self.path if self.is_text else (*self.path, key),
            inside=(*self.inside, key) if self.is_text else (),
            whole=self.whole and isinstance(values, dict),
            source=("", "", ""),
            folder="",
        )


class ReleaseRequest(Object):
    """Stands for the object that requests releases, if only a file of values exists."""

    def __init__(self, file: str, releases: tuple[Release, ...]) -> None:
        """Take `releases` with their paths in the file's document."""
        name, namespace = (releases[0].name, releases[0].namespace) if releases else ("", "")
        metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
        super().__init__(
            {"apiVersion": f"{HELM}/v1", "kind": "Values", "metadata": metadata}, file=file
        )
        self.has_signs = False
        self.asked = releases


def releases(obj: Object) -> Iterator[Release]:
    """Yield the releases of an object: Flux's, Argo CD's, Kustomize's, those of K3s' and RKE2's
    Helm controller, and those of files of values.
    """
    if obj.is_a(FLUX, "HelmRelease"):
        yield _of_flux(obj)
    elif obj.is_a(ARGO, "Application"):
        yield from _of_argo(obj)
    elif obj.is_a(KUSTOMIZE, "Kustomization"):
        yield from _of_kustomize(obj)
    elif obj.is_a(K3S, "HelmChart"):
        yield _of_k3s(obj)
    elif isinstance(obj, ReleaseRequest):
        yield from obj.asked


def _of_flux(obj: Object) -> Release:
    spec = mapping(at(obj.spec, ("chart", "spec")))
    reference = mapping(obj.spec.get("chartRef"))
    target = text(obj.spec.get("targetNamespace"))
    raw_values = obj.spec.get("values")
    values = _read(raw_values) if isinstance(raw_values, str) else raw_values
    referred = text(reference.get("name"))
    is_alone = not spec.get("valuesFiles") and not obj.spec.get("valuesFrom")
    in_repository = mapping(spec.get("sourceRef")).get("kind") in _REPOSITORIES
    return Release(
        chart=last_part(text(spec.get("chart"))) or referred,
        version=text(spec.get("version")).removeprefix("v"),
        values=mapping(values),
        path=obj.path("spec", "values"),
        is_text=isinstance(raw_values, str),
        whole=is_alone and (raw_values is None or isinstance(values, dict)),
        is_final=is_alone
        and (raw_values is None or isinstance(values, dict))
        and not obj.spec.get("postRenderers"),
        # Flux puts the target namespace in front of the name of a release that is given none.
        name=text(obj.spec.get("releaseName")) or "-".join(filter(None, (target, obj.name))),
        namespace=target or obj.namespace,
        source=(
            text(reference.get("kind")),
            text(reference.get("namespace")) or obj.namespace,
            referred,
        ),
        folder=text(spec.get("chart")) if in_repository else "",
    )


def _of_k3s(obj: Object) -> Release:
    content, more = obj.spec.get("valuesContent"), obj.spec.get("values")
    is_text = isinstance(content, str)
    values = _read(content) if isinstance(content, str) else more
    # `set` is laid over the values, as are those of Secrets and of a HelmChartConfig.
    is_alone = not any(obj.spec.get(field) for field in ("set", "valuesSecrets")) and not (
        is_text and more
    )
    return Release(
        chart=last_part(text(obj.spec.get("chart"))),
        version=text(obj.spec.get("version")).removeprefix("v"),
        values=mapping(values),
        path=obj.path("spec", "valuesContent" if is_text else "values"),
        is_text=is_text,
        whole=is_alone and isinstance(values, dict),
        is_final=is_alone and (values is None or isinstance(values, dict)),
        name=obj.name,
        namespace=text(obj.spec.get("targetNamespace")) or obj.namespace,
    )


def _of_argo(obj: Object) -> Iterator[Release]:
    sources = [
        ("source",),
        *(("sources", i) for i, _ in enumerate(items(obj.spec.get("sources")))),
    ]
    for steps in sources:
        source = mapping(at(obj.spec, steps))
        helm = mapping(source.get("helm"))
        alone = not any(helm.get(field) for field in ("valueFiles", "parameters", "fileParameters"))
        # Argo CD passes `values` over where there is `valuesObject`.
        key = "values" if "valuesObject" not in helm and "values" in helm else "valuesObject"
        raw_values = helm.get(key)
        values = _read(raw_values) if isinstance(raw_values, str) else raw_values
        yield Release(
            chart=last_part(text(source.get("chart"))),
            version=text(source.get("targetRevision")).removeprefix("v"),
            values=mapping(values),
            path=obj.path("spec", *steps, "helm", key),
            is_text=isinstance(raw_values, str),
            whole=alone and (raw_values is None or isinstance(values, dict)),
            is_final=alone and (raw_values is None or isinstance(values, dict)),
            name=text(helm.get("releaseName")) or obj.name,
            namespace=text(at(obj.spec, ("destination", "namespace"))),
            folder="" if source.get("chart") else text(source.get("path")),
        )


def _of_kustomize(obj: Object) -> Iterator[Release]:
    for index, chart in enumerate(map(mapping, items(obj.value.get("helmCharts")))):
        values = chart.get("valuesInline")
        files = chart.get("valuesFile") or chart.get("additionalValuesFiles")
        if isinstance(values, dict):
            yield of_kustomize(chart, values, obj.path("helmCharts", index, "valuesInline"), files)


def of_kustomize(
    chart: dict[str, Any], values: dict[str, Any], path: Path, others: object = None
) -> Release:
    """Return the release of a chart that Kustomize inflates, with inline values or those of a file."""
    name = text(chart.get("name"))
    return Release(
        chart=last_part(name),
        version=text(chart.get("version")).removeprefix("v"),
        values=values,
        path=path,
        is_text=False,
        whole=not others,
        name=text(chart.get("releaseName")) or name,
        namespace=text(chart.get("namespace")),
    )


def last_part(name: str) -> str:
    """Return the chart's own name, without its repository."""
    return name.rpartition("/")[2]


def _read(text: str) -> object:
    """Return the values of a text; None if it is not YAML."""
    try:
        documents = read(text, "values.yaml")
    except (InputError, ValueError):
        return None
    return documents[0].value if documents else {}
