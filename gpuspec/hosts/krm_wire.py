"""The wire format of KRM functions: ResourceLists, read and written without loss.

Comments, annotations and unknown keys are the caller's, and stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gpuspec import Document

GROUP = "krm.gpuspec.dev"
"""The API group of configs other than specs: the linter takes them for no workload."""
_VERSIONS = ("config.kubernetes.io/v1", "config.kubernetes.io/v1beta1")
_Path = tuple[str | int, ...]


def mapping(value: object) -> dict[str, Any]:
    """Return the value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


class Wire:
    """A ResourceList."""

    def __init__(self, document: Document) -> None:
        value: Any = document.value
        self._document = document
        self.items: list[dict[str, Any]] = value.get("items") or []
        self.config: dict[str, Any] = value.get("functionConfig") or {}
        self._results: list[Any] = value.get("results") or []

    @classmethod
    def read(cls, data: bytes) -> Wire:
        """Return the ResourceList in a text, YAML or JSON. Raises `InputError` for anything
        else."""
        from gpuspec import InputError, Problem, read_text

        documents = read_text(data, "<stdin>")
        value: Any = documents[0].value if len(documents) == 1 else None
        value = mapping(value)
        hint = (
            "run gpuspec-krm by `kustomize build --enable-alpha-plugins --enable-exec`, or by kpt"
        )
        if value.get("kind") != "ResourceList" or value.get("apiVersion") not in _VERSIONS:
            message = f"standard input is not a ResourceList of {' or '.join(_VERSIONS)}"
            raise InputError([Problem(message, hint=hint)])
        parts = {"items": list, "functionConfig": dict, "results": list}
        wrong = [
            key for key, kind in parts.items() if not isinstance(value.get(key) or kind(), kind)
        ]
        if wrong or not all(isinstance(item, dict) for item in value.get("items") or ()):
            message = f"`{wrong[0] if wrong else 'items'}` of the ResourceList has the wrong type"
            raise InputError([Problem(message, hint=hint)])
        return cls(documents[0])

    @property
    def config_name(self) -> str:
        """The file name of the config in problems."""
        name = mapping(self.config.get("metadata")).get("name", "?")
        return f"{self.config.get('kind')} {name}"

    def config_text(self) -> str:
        """Return the config alone, as it is written."""
        from gpuspec import parts

        return parts(self._document, [("functionConfig",)])[0]

    def stream(self) -> str:
        """Return the resources as a stream of documents, each as it is written."""
        from gpuspec import parts

        return "---\n".join(parts(self._document, [("items", i) for i in self._resources()]))

    def _resources(self) -> list[int]:
        """Return the items without gpuspec's own configs, which are among them if the function runs
        over files.
        """
        return [i for i, item in enumerate(self.items) if not _is_config(item)]

    def text(
        self,
        added_values: Mapping[_Path, Any] | None = None,
        *,
        added: Iterable[dict[str, Any]] = (),
        results: Sequence[dict[str, Any]] = (),
    ) -> str:
        """Return the ResourceList with values added to each resource, new items, and results.

        A new item replaces one with the same identity: a function may run again over its own
        output.
        """
        from gpuspec import amend

        new = [*added]
        values: dict[_Path, Any] = {}
        if new and not self.items:
            values["items",] = new
            new = []
        where = {_identity(item): number for number, item in enumerate(self.items)}
        for item in new:
            values["items", where.setdefault(_identity(item), len(where))] = item
        for number in self._resources():
            values |= {
                ("items", number, *path): value for path, value in (added_values or {}).items()
            }
        if results:
            values["results",] = [*self._results, *results]
        return amend(self._document, values)


def _is_config(item: dict[str, Any]) -> bool:
    return str(item.get("apiVersion")).startswith(f"{GROUP}/")


def _identity(item: dict[str, Any]) -> tuple[str, str, str, str]:
    metadata = mapping(item.get("metadata"))
    group = str(item.get("apiVersion")).rpartition("/")[0]
    return group, str(item.get("kind")), str(metadata.get("namespace")), str(metadata.get("name"))
