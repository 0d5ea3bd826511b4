"""From text to objects: pieces of files, each read in its turn.

One line of a piece decides whether it may hold pods, so that pieces with pods can wait. A wrong
guess only costs memory.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.kinds import inner_objects, kind_of
from gpuspec.loading.custom import Custom, Kind, UnknownObjects
from gpuspec.loading.encrypted import DECRYPTION, is_encrypted, is_nameless, readable
from gpuspec.loading.encrypted import NOTE as ENCRYPTED
from gpuspec.loading.kustomize import GROUP as KUSTOMIZE
from gpuspec.loading.kustomize import bases, is_kustomization
from gpuspec.loading.notes import LoadingNote
from gpuspec.loading.parameters import Parameters
from gpuspec.loading.placeholders import has_signs
from gpuspec.loading.templates import template_note
from gpuspec.loading.units import Unit, UnreadPart
from gpuspec.manifests import NO_MEANING, NO_NUMBER, Document, Place, Problem, read_chunk, split
from gpuspec.manifests.reader import YamlReaders
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gpuspec.loading.alternatives import Name
    from gpuspec.loading.substitutions import Filling
    from gpuspec.manifests import Chunk, Path, SourceFile

OURS = "gpuspec.dev/"
_CONTAINERS = "containers"
_SCORECARD = "scorecard.operatorframework.io/"
_INSTALLED = "baseDomain"
"""The required field of OpenShift's `install-config.yaml`, which has no kind."""
_KIND = re.compile(r"^kind:[ \t]*[\"']?([A-Za-z]+)", re.MULTILINE)
_VERSION = re.compile(r"^apiVersion:[ \t]*[\"']?([\w./-]+)", re.MULTILINE)
_LIST = re.compile(r"\bkind[\"']?:[ \t]*[\"']?List\b")
_OBJECT = r"^(?:\{[ \t]*)?[\"']?(?:apiVersion|kind)[\"']?[ \t]*:"
_KEY = r"^[ \t]*(?:- )?[\"']?(?:apiVersion|kind)[\"']?[ \t]*:"
_OTHERS = (NO_MEANING, NO_NUMBER)
_TAGGED_ALIAS = re.compile(r"(?:^|[\s\[,])![A-Za-z]\w* +\*")
_TALOS = "v1alpha1"
_OF_TALOS = "skipped: a configuration of Talos, which no API server gets"
_BLANK_LINES = r"(?:[ \t]*(?:#[^\n]*|---[ \t]*)?\r?\n)*"
_SEQUENCE = re.compile(_BLANK_LINES + "- ")
_FLOW_SEQUENCE = re.compile(_BLANK_LINES + r"\s*\[")
_FLOW_KEY = re.compile(r"(?<![\w.])(?:apiVersion|kind)[\"']?\s*:")
# An entry of metadata: in flow style, or in block style at the indent of the first one.
_ENTRY = (
    r"^metadata:[ \t]*(?:\{{(?:(?:[^{{}}\n]|\{{[^{{}}\n]*\}})*[ ,])?|\r?\n([ \t]+)(?:[^\n]*\n(?:\1[^\n]*\n)*?\1)?)"
    r"{}:[ \t]*[\"']?([^\s\"'#,}}]+)"
)
_TEMPLATE = re.compile(r"^# Source: (\S.*?)[ \t]*\r?$", re.MULTILINE)
# Helm 4 tells it to a post-renderer so, and loses the comments.
_POST_RENDERED = "postrenderer.helm.sh/postrender-filename"


class ReadNotes(msgspec.Struct, frozen=True):
    """What was read in addition to objects."""

    unread: list[UnreadPart]
    ours: list[Document]
    documents: int
    objects: int
    unknown: dict[Kind, UnknownObjects]
    passed: list[LoadingNote]


class TextLoader:
    """The objects of some sources, the parts that could not be read, and the documents of gpuspec."""

    def __init__(
        self,
        sources: Iterable[SourceFile],
        custom: Custom | None = None,
        clusters: Mapping[str, str] | None = None,
        fillings: Mapping[str, Filling] | None = None,
        tell: Callable[[int, int], None] | None = None,
    ) -> None:
        """Take in `clusters` the cluster of each file, in `fillings` the variables that Flux fills
        in.

        `tell` receives how many of the texts with pods, and of the items of lists, are done.
        """
        self._tell = tell
        self.custom = custom or Custom()
        self._clusters = clusters or {}
        self._fillings = fillings or {}
        self.unread: list[UnreadPart] = []
        self.passed: list[LoadingNote] = []
        """Documents that were skipped, with the reasons."""
        self.ours: list[Document] = []
        """Specs and profiles, for the caller that renders them."""
        self.documents = 0
        """The number of documents that were read."""
        self.objects = 0
        """The number of Kubernetes objects among them; a list counts for its items."""
        self._readers = YamlReaders()
        self.waiting: list[Chunk] = []
        """Texts that seem to hold objects with pods, which are read one after the other."""
        self.held: list[Unit] = []
        """Objects with pods in texts that seemed to have none."""
        self._plain: list[Unit] = []
        for source in sources:
            chunks, problems = split(source)
            self._note(problems, source.name)
            for chunk in chunks:
                # A kustomization may name the containers that it changes, but holds none.
                if _waits(chunk.text) and not is_kustomization(source.name):
                    self.waiting.append(chunk)
                    continue
                for unit in self._units(chunk):
                    waits = unit.object.has_pods and not unit.object.traits.template
                    (self.held if waits else self._plain).append(unit)
        self._at_once = self.documents

    def notes(self) -> list[str]:
        """Return a sentence for each thing that was not read; complete only after the last object."""
        return [*map(str, self.passed), *self.custom.notes()]

    def plain(self) -> Iterable[Unit]:
        """Return the objects without pods, and those that others refer to."""
        return self._plain

    def names(self) -> Iterator[tuple[str, Name]]:
        """Yield the file and name of each object; for texts that wait, as far as their lines show."""
        for unit in (*self._plain, *self.held):
            yield unit.file, name_of(unit.object)
            for base in bases(unit.object.value, unit.file) if _builds(unit.object) else ():
                # Who builds on it makes its objects: two overlays of one base are two clusters'.
                yield unit.file, (KUSTOMIZE, "", base)
        for chunk in self.waiting:
            yield chunk.source.name, _name_in(chunk.text)

    def clusters(self) -> Mapping[str, str]:
        """Return the cluster of each file whose cluster is known."""
        return self._clusters

    def files(self) -> set[str]:
        """Return the files that hold objects."""
        units = (*self._plain, *self.held)
        return {unit.file for unit in units} | {chunk.source.name for chunk in self.waiting}

    def podded(self) -> Iterator[Unit]:
        """Yield the objects with pods, one after the other."""
        tell, total = self._tell or untold, len(self.held) + len(self.waiting)
        for done, unit in enumerate(self.held, 1):
            yield unit
            tell(done, total)
        for done, chunk in enumerate(self.waiting, len(self.held) + 1):
            yield from self._units(chunk)
            tell(done, total)

    def units(self, chunks: Iterable[Chunk]) -> Iterator[Unit]:
        """Yield the objects of some texts, each read in its turn."""
        for chunk in chunks:
            yield from self._units(chunk)

    def unopened(self) -> int:
        """Return how many of the waiting texts were not read."""
        return max(len(self.waiting) - (self.documents - self._at_once), 0)

    def read(self) -> ReadNotes:
        """Return what was read since the last call, and keep it until `take` is called."""
        unknown = self.custom.unknown
        notes = ReadNotes(
            self.unread, self.ours, self.documents, self.objects, unknown, self.passed
        )
        self.unread, self.ours, self.documents, self.objects, self.passed = [], [], 0, 0, []
        self.custom.unknown = {}
        return notes

    def take(self, notes: ReadNotes) -> None:
        """Take in the content of the next part, read here or by a copy."""
        self.unread += notes.unread
        self.ours += notes.ours
        self.documents += notes.documents
        self.objects += notes.objects
        self.passed += notes.passed
        self.custom.take(notes.unknown)

    def _units(self, chunk: Chunk) -> Iterator[Unit]:
        documents, problems = read_chunk(chunk, self._readers)
        if problems and _is_foreign(chunk.text):
            return
        if problems and not re.search(_OBJECT, chunk.text, re.MULTILINE):
            # Tags are YAML, as numbers without end are: other programs read them. Some of these tag
            # an alias, which is no YAML.
            if _TAGGED_ALIAS.search(chunk.text):
                return
            problems = [problem for problem in problems if not problem.message.endswith(_OTHERS)]
        if problems and (note := template_note(chunk.text, problems, chunk.line)):
            self._pass(chunk, note)
            documents, problems = [], []
        self._note(problems, chunk.source.name)
        self.documents += len(documents)
        for document in documents:
            value = document.value
            if not isinstance(value, dict):
                continue
            if is_kustomization(document.source.name):
                # Kustomize knows them by their file's name.
                value.setdefault("apiVersion", f"{KUSTOMIZE}/v1beta1")
                value.setdefault("kind", "Kustomization")
            version, kind = value.get("apiVersion"), value.get("kind")
            if not isinstance(version, str) or not isinstance(kind, str):
                self._half(document, value)
                continue
            if version.startswith(OURS):
                self.ours.append(document)
                continue
            if version == _TALOS and "metadata" not in value:
                self._pass(chunk, _OF_TALOS)
                continue
            source = document.text
            filling = self._fillings.get(document.source.name)
            template = _template(source, value)
            mended = None if chunk.source.generated else document
            if is_encrypted(value):
                if is_nameless(value):
                    self._pass(chunk, ENCRYPTED)
                    continue
                # The checksum covers every value: only SOPS may change the text.
                value, mended, filling = readable(value), None, DECRYPTION
            elif filling is not None and (filled := filling.filled(document)) is not None:
                # What a fix would write is not what stands there.
                value, mended = filled, None
            signs = has_signs(source) or filling is DECRYPTION
            for obj in objects(value, custom=self.custom, file=document.source.name):
                self.objects += 1
                obj.has_signs, obj.filling = signs, filling or obj.filling
                yield Unit(obj, document, mended, template, obj.file)

    def _half(self, document: Document, value: dict[str, Any]) -> None:
        """Note an object that lacks `apiVersion` or `kind`."""
        present = [key for key in ("apiVersion", "kind") if key in value]
        if str(value.get("apiversion")).startswith(_SCORECARD):
            # Operator SDK writes it so, and reads it itself.
            return
        if _INSTALLED in value:
            return
        if len(present) == 1 and "name" in mapping(value.get("metadata")):
            missing = "kind" if present == ["apiVersion"] else "apiVersion"
            message = f"the document has no `{missing}`, and so is no object"
            self.unread.append(UnreadPart(document.place(()), message))

    def _pass(self, chunk: Chunk, reason: str) -> None:
        """Skip a document that is a template; skip the file if it has nothing else."""
        source = chunk.source
        if chunk.text.strip() == source.text.strip():
            self.passed.append(LoadingNote(source.name, reason))
            return
        blank = len(chunk.text) - len(chunk.text.lstrip())
        line = chunk.line + 1 + chunk.text.count("\n", 0, blank)
        self.passed.append(LoadingNote(source.name, f"the document at line {line} is {reason}"))

    def _note(self, problems: Iterable[Problem], file: str) -> None:
        for problem in problems:
            self.unread.append(
                UnreadPart(problem.place or Place(file, 1, 1), problem.message, problem.hint)
            )


def _template(source: str, value: dict[str, Any]) -> str | None:
    """Return the chart's template that a document came from, by Helm's comment."""
    if "# Source: " in source and (match := _TEMPLATE.search(source)):
        return match[1]
    annotations = mapping(mapping(value.get("metadata")).get("annotations"))
    return text(annotations.get(_POST_RENDERED)) or None


def _is_foreign(document: str) -> bool:
    """Return whether a text is surely no object: a list without any, as tasks of Ansible and rows
    of data are."""
    if _FLOW_SEQUENCE.match(document):
        return not _FLOW_KEY.search(document)
    return bool(_SEQUENCE.match(document)) and not re.search(_KEY, document, re.MULTILINE)


def name_of(obj: Object) -> Name:
    """Return an object's name; empty if the server generates it."""
    return obj.kind, obj.namespace, text(obj.metadata.get("name"))


def _name_in(document: str) -> Name:
    kind = _KIND.search(document)
    space, name = (_entry(key).search(document) for key in ("namespace", "name"))
    return kind[1] if kind else "", space[2] if space else "", name[2] if name else ""


@cache
def _entry(key: str) -> re.Pattern[str]:
    return re.compile(_ENTRY.format(key), re.MULTILINE)


def _builds(obj: Object) -> bool:
    return obj.kind == "Kustomization" and obj.group == KUSTOMIZE


def untold(done: int, total: int) -> None:
    """Report no progress."""


def _waits(document: str) -> bool:
    """Return whether a text has pods, by two of its lines: `Service` is Knative's kind too.

    A `List` and a wrapper are read at once: all objects may refer to the objects without pods in
    them.
    """
    if "List" in document and _LIST.search(document):
        return False
    kind, version = _KIND.search(document), _VERSION.search(document)
    record = kind_of(version[1].rpartition("/")[0], kind[1]) if kind and version else None
    if record is None:
        ours = version is not None and version[1].startswith(OURS)
        return not ours and _CONTAINERS in document
    return record.holds_pods and not (record.template or record.objects)


def objects(
    value: dict[str, Any],
    base: Path = (),
    custom: Custom | None = None,
    file: str = "",
    wrapper: Object | None = None,
) -> Iterator[Object]:
    """Yield an object, or its contents: a `List` is only its items, a wrapper is both.

    `wrapper` is the object that holds it.
    """
    inner = inner_objects(value)
    if not (inner and value.get("kind", "").endswith("List")):
        pod_paths = custom.pods(value) if custom else ()
        met = custom.found(value) if custom else ()
        obj = Object(value, base, custom=pod_paths, file=file, guessed=met, wrapper=wrapper)
        if wrapper is not None:
            obj.filling = Parameters(wrapper) if wrapper.traits.parameters else wrapper.filling
        yield obj
        wrapper = obj if inner else None
    for path, inner_value in inner:
        yield from objects(inner_value, (*base, *path), custom, file, wrapper)
