"""Writing of a fixed file."""

from pathlib import Path

from gpuspec.manifests import InputError, Place, Problem


def save(path: Path, before: str, after: str) -> None:
    """Replace a file's text, as `writing.replace` does.

    Raises:
        InputError: the file no longer holds `before`; it is left as it is.
        OSError: it cannot be read or written; it is left as it is.
    """
    # Few runs write one.
    from gpuspec.manifests.writing import replace

    if path.exists() and not path.is_file():
        hint = "--diff prints the changes as a patch"
        raise InputError(
            [Problem(f"{path}: not a regular file, which could be written back to", hint=hint)]
        )
    if path.read_bytes() != before.encode():
        place = Place(str(path), 1, 1)
        hint = "run the command again"
        raise InputError([Problem("the file has changed since it was read", place, hint)])
    replace(str(path), after.encode())
