"""Words of an untrusted change, and everything that a command reads made of them."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

MARK = "pwn"
ODD = st.sampled_from(
    [
        "\x1b[31m", "\x1b]0;x\x07", "\r", "\n", "\r=1+1\r", "\n::error file=a::b\n", "\n::stop-commands::x\n",
        "::error file=x::y", "##[group]x", "##vso[task.setvariable variable=a]b", "##teamcity[a]", "#", "#[x]",
        "\x7f", "\x85", "\x9b2J", "\u2028", "\u2029", "\u202e", "\u2066", "\u200b", "\u200f", "\u00ad", "\ufeff",
        "\U000e0001", "\ufffe", "\t", "\x00", "\x0b", "\x1e", "\u00a0", "\u3000", "=cmd|' /C x'!A0", "+1", "@me", "-1",
        "a|b", "`", "```", "<script>", "&amp;", "'", '"', "](http://x)", "%0A::error::x", ",", ";", "{profile}", "]]>",
        "\\", "\\n", "雪", "👩‍🔧", "--- a", "/merge", "$(x)", "{{ x }}", "\x1b[0Ksection_start:1:a\r\x1b[0K", ": ", " #",
    ]
)  # fmt: skip
WORDS = st.lists(
    st.builds(
        lambda head, mark, tail: "".join(head) + mark + "".join(tail),
        st.lists(ODD, max_size=2),
        st.just(MARK),
        st.lists(ODD, max_size=2),
    ),
    min_size=9,
    max_size=9,
)
WORST = [
    "=1+1 pwn",
    "::error file=a::pwn",
    "pwn\x1b[31m\x9b2J\x7f",
    "\u202epwn\u2066\u200b\u2028",
    "pwn\n::stop-commands::x\nnote: pwn",
    "##[error]pwn ##vso[task.complete]",
    "pwn\r=1+1\r-1;@pwn",
    "/merge <b>pwn|`@pwn",
    "-pwn\x85+pwn",
]
Word = Callable[[], str]


def turns(words: list[str]) -> Word:
    """The next of the words, over and over."""
    state = [0]

    def word() -> str:
        state[0] += 1
        return words[state[0] % len(words)]

    return word


def file_name(word: str) -> str:
    """A word as the name of a file."""
    return word.replace("/", "_").replace("\0", "_")


def put(folder: Path, name: str, *documents: Any, text: str | None = None) -> str:
    """A file of documents, which JSON can hold whatever is in them; its name."""
    folder.mkdir(parents=True, exist_ok=True)
    shown = text if text is not None else "\n---\n".join(map(json.dumps, documents))
    (folder / name).write_bytes(shown.encode(errors="surrogatepass"))
    return name


def workload(w: Word, kind: str = "Deployment") -> dict[str, Any]:
    """An object with GPUs and every name its own."""
    container = {
        "name": w(),
        "image": w(),
        "command": [w()],
        "env": [{"name": w(), "value": w()}],
        "resources": {"requests": {"nvidia.com/gpu": 1}, "limits": {"nvidia.com/gpu": 2, w(): "1"}},
        "volumeMounts": [{"name": w(), "mountPath": w()}],
        w(): w(),
    }
    pod = {
        "containers": [container],
        "nodeSelector": {w(): w()},
        "priorityClassName": w(),
        "tolerations": [{"key": w(), "operator": w(), "effect": w()}],
        "volumes": [{"name": w(), w(): {}}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {
            "name": w(),
            "namespace": w(),
            "labels": {w(): w()},
            "annotations": {w(): w()},
        },
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {w(): w()}},
            "template": {"metadata": {"labels": {w(): w()}}, "spec": pod},
        },
    }


def stranger(w: Word) -> dict[str, Any]:
    """An object of a kind that nobody knows."""
    return {"apiVersion": w(), "kind": w(), "metadata": {"name": w()}, "spec": {w(): w()}}


def spec(w: Word, name: str = "train") -> dict[str, Any]:
    """A spec that renders, foreign where a spec may be."""
    return {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": "Training",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {
            "image": "ghcr.io/example/train:1.0@sha256:" + "0123456789abcdef" * 4,
            "command": [w(), w()],
            "gpu": {"models": ["T4"], "count": 1},
            "resources": {"cpu": 4, "memory": "16Gi"},
            "run": "first",
            "env": {"A": w().replace("\0", ""), "B": w().replace("\0", "") + "\nline\n"},
        },
    }


def profile(w: Word, name: str = "eu", pool: str = "pool") -> dict[str, Any]:
    """A profile that may be right; with other names it is wrong."""
    return {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": "ClusterProfile",
        "metadata": {"name": name},
        "spec": {
            "kubernetes": "1.36",
            "pools": [
                {
                    "name": pool,
                    "gpu": {"model": "T4", "count": 4},
                    "allocatable": {"cpu": 60, "memory": "240Gi", "pods": 110},
                    "nodes": 6,
                }
            ],
            "namespaces": [{"name": "ml"}],
        },
    }


def node(w: Word, name: str, **labels: str) -> dict[str, Any]:
    """A node as kubectl prints it."""
    amounts = {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "4", "pods": "110", w(): "3"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {w(): w(), "nvidia.com/gpu.product": w(), **labels}},
        "spec": {"taints": [{"key": w(), "value": w(), "effect": "NoSchedule"}]},
        "status": {
            "allocatable": amounts,
            "capacity": amounts,
            "nodeInfo": {"kubeletVersion": "v1.36.1", "osImage": w()},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def dump(w: Word) -> dict[str, Any]:
    """What kubectl printed."""
    known = node(w, w(), **{"nvidia.com/gpu.product": "Tesla-T4", "nvidia.com/gpu.memory": "15360"})
    young = {"nvidia.com/gpu.memory": "24564", "nvidia.com/gpu.family": "ada-lovelace"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": w(), "namespace": w()}}
    return {
        "apiVersion": "v1",
        "kind": "List",
        "items": [
            known,
            node(w, w()),
            node(w, w(), **young),
            pod | {"spec": {"containers": [{"name": w()}]}},
            stranger(w),
        ],
    }


def sanitized(word: str) -> str:
    """A word as an operating system takes it for an argument or a variable."""
    return os.fsdecode(os.fsencode(word.replace("\0", "")))
