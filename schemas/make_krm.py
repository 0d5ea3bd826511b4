"""Write the definition of the KRM function, with its version and schema: `python schemas/make_krm.py`.

Sources: kubernetes/enhancements, KEP-2906; kubernetes-sigs/kustomize, `kyaml/fn/framework/function_definition.go`.
"""

from pathlib import Path
from typing import Any

import msgspec

import gpuspec
from gpuspec.hosts.krm_config import KIND, VERSION, Lint

FILE = Path(__file__).parent.parent / "deploy/kustomize/function.yaml"
HEAD = """\
# What gpuspec-krm is, for whoever lists or checks KRM functions: the transformer's config, and how to run it. Specs are
# configs too, of a generator: their schemas are those of `gpuspec schema`.
# Made by schemas/make_krm.py. Do not edit.
"""
PROGRAM = "gpuspec-krm"


def definition() -> dict[str, Any]:
    """The function as a KRMFunctionDefinition."""
    group, _, version = VERSION.partition("/")
    return {
        "apiVersion": "config.kubernetes.io/v1alpha1",
        "kind": "KRMFunctionDefinition",
        "metadata": {"name": PROGRAM, "labels": {"app.kubernetes.io/version": gpuspec.__version__}},
        "spec": {
            "group": group,
            "names": {"kind": KIND},
            "description": "Lints the GPU workloads that are built, and fails the build on errors.",
            "tags": ["transformer", "linter", "gpu"],
            "versions": [
                {
                    "name": version,
                    "idempotent": True,
                    "license": "Apache-2.0",
                    "runtime": {
                        "container": {"image": f"{PROGRAM}:{gpuspec.__version__}"},
                        "exec": {"path": PROGRAM},
                    },
                    "schema": {"openAPIV3Schema": schema()},
                }
            ],
        },
    }


def schema() -> dict[str, Any]:
    """The OpenAPI schema of the function's config."""
    made = msgspec.json.schema(Lint)["$defs"][Lint.__name__]
    fields = {name: _field(told) for name, told in made["properties"].items()}
    spec = {"type": "object", "additionalProperties": False, "properties": fields}
    return {
        "type": "object",
        "required": ["apiVersion", "kind", "metadata"],
        "additionalProperties": False,
        "properties": {
            "apiVersion": {"type": "string", "enum": [VERSION]},
            "kind": {"type": "string", "enum": [KIND]},
            "metadata": {"type": "object"},
            "spec": spec,
        },
    }


def _field(told: dict[str, Any]) -> dict[str, Any]:
    """A field without `null`, which means that it is left out."""
    alternatives = [one for one in told.get("anyOf", ()) if one != {"type": "null"}]
    whole = {"type": "string", **told, **(alternatives[0] if alternatives else {})}
    kept = ("description", "type", "enum", "items", "default")
    return {key: whole[key] for key in kept if whole.get(key) not in (None, [])}


def text() -> str:
    """The file."""
    return HEAD + gpuspec.dump([definition()])


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
