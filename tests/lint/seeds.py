"""Manifests that documents print, got out of their text. The documents lie beside the checkout.

One of them lost its line breaks: `apiVersion: v1kind: Podmetadata: name: testspec: containers: - name: a`.
Which key is below which is told by what each may hold.
"""

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[3] / "shared" / "seeds"
BELOW = {
    "": ("apiVersion", "kind", "metadata", "spec"),
    "metadata": ("name", "labels"),
    "labels": ("app",),
    "spec": (
        *("replicas", "selector", "template"),
        *("restartPolicy", "nodeSelector", "tolerations", "containers"),
    ),
    "selector": ("matchLabels",),
    "matchLabels": ("app",),
    "nodeSelector": ("accelerator",),
    "template": ("metadata", "spec"),
    "tolerations": ("key", "operator", "value", "effect"),
    "containers": (
        *("name", "image", "command", "ports", "readinessProbe", "startupProbe", "resources"),
    ),
    "ports": ("containerPort",),
    "readinessProbe": ("httpGet", "periodSeconds", "failureThreshold"),
    "startupProbe": ("httpGet", "periodSeconds", "failureThreshold"),
    "httpGet": ("path", "port"),
    "resources": ("requests", "limits"),
    "requests": ("cpu", "memory", "nvidia.com/gpu"),
    "limits": ("cpu", "memory", "nvidia.com/gpu"),
}
LISTS = ("tolerations", "containers", "ports")
GLUED = re.compile(r"(?<=\w)(?=(?:kind|metadata|spec): )")
PROSE = re.compile(r"(?<=[0-9a-z])[A-Z][a-z]+ .*")
ENTRY = re.compile(r"(- )?([A-Za-z][\w./-]*):(?: |$)")


def manifests() -> dict[str, str]:
    """Name to YAML, of every manifest that the documents print; none where they are not there."""
    found: dict[str, str] = {}
    for path in sorted(FOLDER.glob("*.txt")):
        text = path.read_text()
        for value in (*_flat(text), *_overrides(text), *_skeletons(text)):
            found[value["metadata"]["name"]] = yaml.safe_dump(value, sort_keys=False)
    return found


def _flat(text: str) -> Iterator[dict[str, Any]]:
    """Those whose line breaks are lost: each stands on a line, and prose follows without a space."""
    for line in text.splitlines():
        if line.startswith("apiVersion: "):
            yield _nested(GLUED.sub(" ", line))


def _nested(text: str) -> dict[str, Any]:
    root: dict[str, Any] = {}
    stack: list[tuple[str, Any]] = [("", root)]
    entries = list(ENTRY.finditer(text))
    for entry, following in zip(entries, [*entries[1:], None], strict=True):
        item, key = entry.groups()
        while key not in BELOW[stack[-1][0]]:
            stack.pop()
        here = stack[-1][1]
        if item:
            here.append({})
        value = text[entry.end() : following.start() if following else None].strip()
        inner: Any = [] if key in LISTS else {} if key in BELOW else None
        (here[-1] if isinstance(here, list) else here)[key] = (
            yaml.safe_load(PROSE.sub("", value)) if inner is None else inner
        )
        if inner is not None:
            stack.append((key, inner))
        elif PROSE.search(value):
            break
    return root


def _overrides(text: str) -> Iterator[dict[str, Any]]:
    """What `kubectl run NAME --overrides='…'` makes."""
    for name, given in re.findall(
        r"kubectl run (\S+)[^']*--overrides='(\{.*?\})'", text, re.DOTALL
    ):
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, **json.loads(given)}


def _skeletons(text: str) -> Iterator[dict[str, Any]]:
    """Pod specs without a head."""
    for spec in re.findall(r"^spec:\n(?:  .*\n)+", text, re.MULTILINE):
        head = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "skeleton"}}
        yield {**head, **yaml.safe_load(textwrap.dedent(spec))}
