"""One try: a command line, files, variables. The same for the same seed, target and number."""

import re
from dataclasses import dataclass, field
from random import Random

from tests.fuzz import nasty, shapes, texts
from tests.fuzz.nodes import Node, read, write, write_json
from tests.fuzz.seeds import donors, trees
from tests.fuzz.seeds import texts as seed_texts
from tests.fuzz.targets import Target

ODD = ("fifo", "folder", "loop", "dangling", "socket", "zero", "null", "up", "deep")
"""Kinds of what may lie in a file's place."""

_FILES = {
    "spec": "spec.yaml", "profile": "profile.yaml", "manifests": "k8s.yaml", "dump": "dump.json", "config": ".gpuspec.yaml",
    "baseline": "known.json", "record": "out/.gpuspec-record", "mix": "mix.csv", "kustomization": "kustomization.yaml",
    "template": "", "pyproject": "pyproject.toml", "resources": "", "parameters": "",
}  # fmt: skip
_JSON = ("dump", "baseline", "record", "parameters")
_TYPED = ("spec", "profile")
_TEXT = ("template", "mix", "pyproject")


@dataclass
class Try:
    """What one run is given."""

    target: Target
    number: int
    words: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    odd: dict[str, str] = field(default_factory=dict)
    """Kinds of what lies in a file's place, by path."""
    stdin: bytes = b""
    environment: dict[str, str] = field(default_factory=dict)
    terminal: bool = False
    format: str = ""
    outputs: list[str] = field(default_factory=list)
    """What may be written."""

    @property
    def name(self) -> str:
        return f"{self.target.name}:{self.number}"


def make(target: Target, seed: int, number: int) -> Try:
    """The try of a number."""
    rng = Random(f"{seed} {target.name} {target.given} {number}")
    one = Try(target, number, format=target.output)
    made = _Making(one, rng)
    words = [*target.command, *(each for word in target.given for each in made.word(word))]
    for option in target.options:
        if rng.random() < 1.2 / (len(target.options) + 1):
            words += (each for word in option for each in made.word(word))
    if target.formats:
        one.format = target.formats[number % len(target.formats)]
        words += ["--format", one.format]
    one.words = words
    for role in target.beside:
        if rng.random() < 0.12:
            made.file(role)
    if target.stdin:
        one.stdin = made.content(target.stdin)
    for name, kind in target.environment.items():
        if rng.random() < 0.35:
            one.environment[name] = made.variable(kind)
    one.terminal = rng.random() < 0.15
    if rng.random() < 0.1:
        one.environment["COLUMNS"] = rng.choice(nasty.NUMBERS)[:99_999]
    if rng.random() < 0.06:
        made.odd()
    return one


class _Making:
    """Words and files of a try, as they are asked for."""

    def __init__(self, one: Try, rng: Random) -> None:
        self.one = one
        self.rng = rng
        self.changes = rng.choice((0, 1, 1, 1, 2, 2, 3, 5))
        """How many changes are left to make; the first files get most of them."""

    def word(self, word: str) -> list[str]:
        """What stands for a word of the table."""
        mark, rest = word[:1], word[1:]
        if mark == "@" and rest.endswith("/"):
            return [self._folder(rest[:-1])]
        if mark == "@":
            roll = self.rng.random()
            if (
                roll < 0.08
                and "-" not in self.one.words
                and not self.one.stdin
                and not self.one.target.git
            ):
                self.one.stdin = self.content(rest)
                return ["-"]
            return [self._folder(rest) if roll < 0.16 and rest not in _JSON else self.file(rest)]
        if mark == "+":
            self.file(rest)
            return []
        if mark == ":":
            return [f"HEAD:{self.file(rest, 'old-')}"]
        if mark == "%":
            return [self._some(rest)]
        if mark == ">":
            name = rest.rstrip("/")
            if rest.endswith("/") and self.rng.random() < 0.3:
                name = self.rng.choice(
                    ("out/{profile}", "out/a/b", "./out/../out", f"out/{self._some('word')}")
                )
            self.one.outputs.append(name)
            return [name.replace("\0", "")]
        return [word]

    def file(self, role: str, prefix: str = "") -> str:
        """A new file, and its path."""
        name = prefix + _FILES[role]
        if role in ("manifests", "spec", "profile", "dump", "mix") and self.rng.random() < 0.05:
            name = self.rng.choice(nasty.NAMES)
            name = f"{name}.csv" if role == "mix" else name
        while name in self.one.files:
            name = f"z{name}"
        self.one.files[name] = self.content(role)
        return f"./{name}" if name[0] == "-" else name

    def _folder(self, role: str) -> str:
        """A new folder with a few files."""
        name = f"{role}s"
        for number in range(self.rng.choice((1, 1, 2, 3))):
            inner = f"{number}-{_FILES[role]}"
            if role == "template":
                inner = self.rng.choice(_template_names())
            elif self.rng.random() < 0.1:
                inner = self.rng.choice(nasty.NAMES)
            self.one.files[f"{name}/{inner}"] = self.content(role)
        return name

    def content(self, role: str) -> bytes:
        """What a file of a role holds."""
        rng = self.rng
        changes = rng.randint(1, self.changes) if self.changes and rng.random() < 0.85 else 0
        self.changes -= changes
        if role == "pyproject":
            return self._toml(changes)
        if role in _TEXT:
            data = rng.choice(seed_texts(role)).encode()
            for _ in range(changes):
                data = self._text_change(role, data)
            return data
        if rng.random() < 0.15:
            data = rng.choice(seed_texts(role)).encode()
            for _ in range(changes):
                data = texts.mutate(data, rng)
            return data
        documents = self._documents(role)
        as_json = len(documents) == 1 and rng.random() < (0.8 if role in _JSON else 0.06)
        gently = rng.random() < (0.75 if role in _TYPED else 0.4)
        for _ in range(changes):
            documents = shapes.mutate(documents, rng, donors(), gently=gently)
        text = write_json(documents[0]) if as_json and documents else write(documents)
        data = text.encode(errors="surrogatepass" if rng.random() < 0.5 else "replace")
        return texts.mutate(data, rng) if changes and rng.random() < 0.08 else data

    def _documents(self, role: str) -> list[Node]:
        """The trees of one text, of manifests sometimes of several."""
        rng = self.rng
        times = rng.choice((1, 1, 1, 2, 3)) if role in ("manifests", "spec", "profile") else 1
        if role == "manifests" and rng.random() < 0.01:
            times = 130
        roles = [role] * times
        if role == "manifests" and rng.random() < 0.15:
            roles.append("spec")
        return [one.copy() for each in roles for one in rng.choice(trees(each))]

    def _text_change(self, role: str, data: bytes) -> bytes:
        rng = self.rng
        if role == "template" and rng.random() < 0.6:
            lines = data.split(b"\n")
            at = rng.randrange(len(lines))
            lines[at] += rng.choice((b"", b" ", b"\n")) + rng.choice(nasty.TEMPLATES).encode()
            return b"\n".join(lines)
        if role == "mix" and rng.random() < 0.7:
            return texts.cells(data, rng)
        return texts.mutate(data, rng)

    def _toml(self, changes: int) -> bytes:
        """A configuration in the shared file: TOML, some of it written in JSON's forms."""
        rng = self.rng
        lines = [
            "[tool.gpuspec]",
            'select = ["GPU"]',
            'per-path = {"*.yaml" = {ignore = ["GPU2"]}}',
            'models = {a = "16Gi"}',
        ]
        for _ in range(changes):
            value = rng.choice(
                (
                    "1",
                    '"a"',
                    "[]",
                    "{}",
                    "[1]",
                    "nan",
                    "2026-01-02",
                    "1e400",
                    "true",
                    "{a = 1}",
                    '["\\u001b"]',
                )
            )
            lines.append(
                f"{rng.choice(('ignore', 'profile', 'baseline', 'severities', 'pod-paths', 'images', 'x'))} = {value}"
            )
        data = "\n".join(lines).encode()
        return texts.mutate(data, rng) if changes > 1 else data

    def variable(self, kind: str) -> str:
        """What a variable of the environment holds."""
        if kind[0] == "@":
            return (
                self.content(kind[1:])
                .replace(b"\0", b"")[:100_000]
                .decode(errors="surrogateescape")
            )
        return self._some(kind[1:])

    def odd(self) -> None:
        """Put what is no file in the place of one, or beside the others."""
        rng = self.rng
        kind = rng.choice(ODD)
        named = {word.removeprefix("./") for word in self.one.words}
        path = rng.choice([*self.one.files, "x.yaml", "odd/x.yaml"])
        # Whoever names a pipe that nobody writes to waits for them.
        if kind == "fifo" and path in named:
            kind = "folder"
        self.one.files.pop(path, None)
        self.one.odd[path] = kind

    def _some(self, kind: str) -> str:
        """A word of a kind, as an argument can hold it."""
        text = self._text(kind).replace("\0", "")[:100_000]
        return text.encode(errors="surrogatepass").decode(errors="surrogateescape")

    def _text(self, kind: str) -> str:
        rng = self.rng
        if rng.random() < 0.6 and kind in _KNOWN:
            return rng.choice(_KNOWN[kind])
        if kind == "setting":
            path = rng.choice(
                (
                    "replicas",
                    "gpu.count",
                    "image",
                    "spec.x",
                    "env.A",
                    "gpu",
                    'env["a"]',
                    "args[0]",
                    "[",
                    "²",
                )
            )
            value = (
                shapes.shape(rng)
                if rng.random() < 0.2
                else rng.choice(donors().get(path.rpartition(".")[2]) or [shapes.scalar(rng)])
            )
            return f"{self._workload()}:{path}={write([value]).rstrip()}"
        return rng.choice((*nasty.WORDS, *nasty.NUMBERS))

    def _workload(self) -> str:
        """The name of a workload, as a rule of one that is there."""
        names = [m[1] for data in self.one.files.values() if (m := _NAME.search(data))]
        return self.rng.choice(
            [*names, *names, b"x"] if self.rng.random() < 0.1 else names or [b"chat"]
        ).decode()


_NAME = re.compile(rb'\bname"?: "?([a-z0-9-]+)')
_KNOWN = {
    "profile": ("eks", "gke", "aks", "generic", "coreweave", "gpu-operator", "EKS"),
    "rule": ("GPU201", "GPU1", "GPU", "no-toleration", "gpu-201", "GPU9", "GPU²01"),
    "kind": ("inference", "training", "FineTune", "batch-inference", "cluster-profile", "smoke-test"),
    "revision": ("HEAD:", "HEAD:x", "HEAD~1:", ":x", "HEAD:./", "HEAD:../", "main:k8s.yaml", "--help:x", "HEAD^{tree}:", "@{9}:x"),
    "version": ("1.33", "1.37", "1.36.1+k3s1", "v1.35", "1", "2.0", "1.²"),
    "lint": ("fail", "annotate", "note"),
    "severity": ("error", "warning", "info"),
    "fix": ("none", "safe", "all"),
    "number": ("1", "3", "100"),
    "app": (".", "./", "x", "../x"),
    "word": ("out", "eu", "x"),
}  # fmt: skip


def _template_names() -> list[str]:
    from tests.fuzz.seeds import ROOT

    found = sorted(
        str(path.relative_to(ROOT / "templates")) for path in (ROOT / "templates").rglob("*.j2")
    )
    return [*found, "x.j2", "a\x1b.j2"]


def parsed(data: bytes) -> list[Node] | None:
    """The trees of a file; None for what is none."""
    import yaml

    try:
        return read(data.decode())
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return None
