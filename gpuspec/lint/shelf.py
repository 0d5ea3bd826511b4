"""Storage for results of a copy outside both processes' memory."""

from __future__ import annotations

import os
import pickle
from typing import TYPE_CHECKING, Any, BinaryIO

from gpuspec.manifests import SourceFile

if TYPE_CHECKING:
    from gpuspec.loading.text_loader import TextLoader


class Shelf:
    """A store into which one process puts things, and from which another gets them one by one."""

    def __init__(self, loader: TextLoader) -> None:
        """Open the store.

        `loader` has the texts, which both processes share. Raises `OSError` if there is no space.
        """
        self._file: BinaryIO = os.fdopen(os.memfd_create("gpuspec"), "w+b")
        self._sources = [chunk.source for chunk in loader.waiting]
        self._texts = {id(source): at for at, source in enumerate(self._sources)}

    def put(self, thing: object) -> int:
        """Put a thing there, and return its position."""
        place = self._file.tell()
        _Pickler(self._file, self._texts).dump(thing)
        self._file.flush()
        return place

    def get(self, place: int) -> Any:
        """Return the thing at a position."""
        self._file.seek(place)
        return _Unpickler(self._file, self._sources).load()

    def close(self) -> None:
        """Close the store."""
        self._file.close()


class _Pickler(pickle.Pickler):
    """Pickles a reference for a text that both processes share."""

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
