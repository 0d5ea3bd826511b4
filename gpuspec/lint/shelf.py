"""What a copy tells, put where neither process has it among its own objects until it is wanted."""

from __future__ import annotations

import os
import pickle
from typing import TYPE_CHECKING, Any, BinaryIO

from gpuspec.manifests import SourceFile

if TYPE_CHECKING:
    from gpuspec.loading.text_loader import TextLoader


class Shelf:
    """Things in the order in which one process puts them there, for another to get one by one."""

    def __init__(self, loader: TextLoader) -> None:
        """Open the store.

        `feed` has the texts, which both processes have. Raises `OSError` if there is no space.
        """
        self._file: BinaryIO = os.fdopen(os.memfd_create("gpuspec"), "w+b")
        self._sources = [chunk.source for chunk in loader.waiting]
        self._texts = {id(source): at for at, source in enumerate(self._sources)}

    def put(self, thing: object) -> int:
        """Put a thing there. Gives its place."""
        place = self._file.tell()
        _Pickler(self._file, self._texts).dump(thing)
        self._file.flush()
        return place

    def get(self, place: int) -> Any:
        """Return the thing at a place."""
        self._file.seek(place)
        return _Unpickler(self._file, self._sources).load()

    def close(self) -> None:
        """Let go of all of it."""
        self._file.close()


class _Pickler(pickle.Pickler):
    """Names a text, which both processes have, instead of sending it."""

    def __init__(self, file: BinaryIO, texts: dict[int, int]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._texts = texts

    def persistent_id(self, item: object) -> int | None:
        return self._texts.get(id(item)) if type(item) is SourceFile else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: BinaryIO, sources: list[SourceFile]) -> None:
        super().__init__(file)
        self._sources = sources

    def persistent_load(self, at: int) -> SourceFile:
        return self._sources[at]
