"""Reading Kubernetes YAML and JSON, exactly as kubectl does."""

from itertools import islice
from typing import TYPE_CHECKING

from gpuspec.manifests.documents import Document
from gpuspec.manifests.limits import MAX_DOCUMENTS
from gpuspec.manifests.plain_scalars import PlainScalars, UnusualError
from gpuspec.manifests.problems import InputError, Problem
from gpuspec.manifests.sources import Chunk, decode, split, too_many
from gpuspec.manifests.yaml_loading import load_yaml

if TYPE_CHECKING:
    from gpuspec.manifests.line_loading import LineReader

_MANY = 100
_USUAL = 1024
"""Characters of a document."""


class YamlReaders:
    """The parsers of a run, which share their caches between texts."""

    __slots__ = ("_line_reader", "_read", "words")

    def __init__(self) -> None:
        self.words = PlainScalars()
        self._read = 0
        self._line_reader: LineReader | None = None

    def line_reader(self, text: str) -> "LineReader | None":
        """Return the line parser for a document's text; call it once per document.

        It is None for the first documents, because its regular expressions take as long to compile
        as libyaml takes for about sixty documents.
        """
        if self._line_reader is None:
            self._read += 1 + len(text) // _USUAL
            if self._read > _MANY:
                from gpuspec.manifests.line_loading import LineReader

                self._line_reader = LineReader(self.words)
        return self._line_reader


def read(text: str | bytes, name: str) -> list[Document]:
    """Read all documents of a file; ``name`` is the file as the user gave it, or ``<stdin>``.

    Empty documents are dropped, as by kubectl. Values other than mappings are returned unchanged.

    Raises:
        InputError: with every problem of every document. Refused are what kubectl refuses, and
            besides: duplicate keys, tags that Kubernetes gives no meaning, text behind a document's
            end, and what is more than :mod:`~gpuspec.manifests.limits` has it: bytes,
            documents, levels of nesting, values that aliases stand for.
    """
    chunks, problems = split(decode(text, name))
    documents: list[Document] = []
    readers = YamlReaders()
    for chunk in chunks:
        chunk_documents, wrong = read_chunk(chunk, readers, len(documents))
        documents += chunk_documents
        problems += wrong
    if problems:
        raise InputError(sorted(problems, key=_position))
    return documents


def read_chunk(
    chunk: Chunk, readers: YamlReaders | None = None, index: int = 0
) -> tuple[list[Document], list[Problem]]:
    """Return the documents of one chunk of a source, and its problems; see :func:`read`.

    YAML has at most one; JSON objects may follow each other. ``readers`` are shared between the
    chunks of a source, for speed; ``index`` is that of the first document.
    """
    problems: list[Problem] = []
    readers = YamlReaders() if readers is None else readers
    try:
        pieces = _json_objects(chunk, problems)
    except UnusualError:
        value, by_lines = _yaml_value(chunk, readers, problems)
        if value is None:
            return [], problems
        return [Document(value, chunk, index, sound=not problems, by_lines=by_lines)], problems
    nonempty = [piece for piece in pieces if piece[1] is not None]
    documents = [
        Document(value, piece, index + n, sound=sound)
        for n, (piece, value, sound) in enumerate(nonempty)
    ]
    return documents, problems


def _yaml_value(chunk: Chunk, readers: YamlReaders, problems: list[Problem]) -> tuple[object, bool]:
    """Return the value of a chunk, and whether it was read line by line."""
    text = chunk.text
    line_reader = readers.line_reader(text)
    if line_reader is not None:
        try:
            return line_reader.load(text), True
        except UnusualError:
            pass
    try:
        return load_yaml(text, readers.words), False
    except UnusualError:
        return _graph_value(chunk, problems), False


def _graph_value(chunk: Chunk, problems: list[Problem]) -> object:
    # Few documents come here, and no command should pay for those that do not.
    from gpuspec.manifests.construct import construct
    from gpuspec.manifests.graph import compose

    root, wrong = compose(chunk)
    problems += wrong
    if root is None:
        return None
    value, wrong = construct(root, chunk)
    problems += wrong
    return value


def _json_objects(chunk: Chunk, problems: list[Problem]) -> list[tuple[Chunk, object, bool]]:
    """Return the value of each JSON object in a piece (kubectl takes one directly after the other),
    and whether nothing is wrong with it.

    Raises:
        UnusualError: the piece is not JSON.
    """
    text = chunk.text
    if not text.lstrip().startswith("{"):
        raise UnusualError
    from gpuspec.manifests.json_loading import load_json

    pieces: list[tuple[Chunk, object, bool]] = []
    piece = chunk
    objects = list(islice(load_json(text), MAX_DOCUMENTS + 1))
    if len(objects) > MAX_DOCUMENTS:
        start, end, _, _ = objects[-1]
        problems.append(
            too_many(chunk.following(chunk.start + start, chunk.start + end).place_at(0))
        )
        return []
    for start, end, value, holds in objects:
        piece = piece.following(chunk.start + start, chunk.start + end)
        earlier_problems = len(problems)
        if not holds:
            value = _graph_value(piece, problems)
        pieces.append((piece, value, len(problems) == earlier_problems))
    return pieces


def _position(problem: Problem) -> tuple[int, int]:
    return (problem.place.line, problem.place.column) if problem.place else (0, 0)
