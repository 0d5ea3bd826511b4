"""One try: a command line, files, variables. The same for the same seed, target and number."""

from dataclasses import dataclass, field
from random import Random

from tests.fuzz import nasty
from tests.fuzz.arguments import argument
from tests.fuzz.contents import JSON, content
from tests.fuzz.targets import Target

ODD = ("fifo", "folder", "loop", "dangling", "socket", "zero", "null", "up", "deep")
"""Kinds of what may lie in a file's place."""

_FILES = {
    "spec": "spec.yaml", "profile": "profile.yaml", "manifests": "k8s.yaml", "dump": "dump.json", "config": ".gpuspec.yaml",
    "baseline": "known.json", "record": "out/.gpuspec-record", "mix": "mix.csv", "kustomization": "kustomization.yaml",
    "template": "", "pyproject": "pyproject.toml", "resources": "", "parameters": "",
}  # fmt: skip


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
        self.changes = rng.choice((0, 1, 1, 1, 2, 2, 3, 5, 12, 30))
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
            return [self._folder(rest) if roll < 0.16 and rest not in JSON else self.file(rest)]
        if mark == "+":
            self.file(rest)
            return []
        if mark == ":":
            return [f"HEAD:{self.file(rest, 'old-')}"]
        if mark == "%" and rest == "place":
            # What is written where somebody says is no fault, wherever that is.
            return [self._some("word").replace("..", "a").lstrip("/")]
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
        changes = (
            self.rng.randint(1, self.changes) if self.changes and self.rng.random() < 0.85 else 0
        )
        self.changes -= changes
        return content(role, changes, self.rng)

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
        folders = [
            f"{word}/x.yaml" for word in self.one.words if word.endswith("s") and "." not in word
        ]
        found = (".gpuspec.yaml", "out/.gpuspec-record", "kustomization.yaml", "x.yaml", *folders)
        path = rng.choice([*self.one.files, *self.one.files, *found])
        # Whoever names a pipe that nobody writes to waits for them.
        if kind == "fifo" and path in named:
            kind = "folder"
        self.one.files.pop(path, None)
        self.one.odd[path] = kind

    def _some(self, kind: str) -> str:
        """A word of a kind."""
        return argument(kind, self.one.files.values(), self.rng)


def _template_names() -> list[str]:
    from tests.fuzz.seeds import ROOT

    found = sorted(
        str(path.relative_to(ROOT / "templates")) for path in (ROOT / "templates").rglob("*.j2")
    )
    return [*found, "x.j2", "a\x1b.j2"]
