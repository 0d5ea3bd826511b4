"""Writing a mended file back."""

import os
from pathlib import Path

from gpuspec.manifests import InputError, Place, Problem


def save(path: Path, before: str, after: str) -> None:
    """Put a file's new text in the place of the old one, in one step, whatever goes wrong.

    Permissions and owner stay, as do line ends and a byte order mark, which the texts hold. A link
    stays a link: the file that it names is written.

    Raises:
        InputError: the file no longer holds `before`; it is left as it is.
        OSError: it cannot be read or written; it is left as it is.
    """
    # Few runs write one.
    from contextlib import suppress
    from tempfile import NamedTemporaryFile

    target = path.resolve(strict=True)
    if target.read_bytes() != before.encode():
        place = Place(str(path), 1, 1)
        hint = "run the command again"
        raise InputError([Problem("the file has changed since it was read", place, hint)])
    there = target.stat()
    with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
        new = Path(file.name)
        try:
            file.write(after.encode())
            file.flush()
            os.fsync(file.fileno())
            if hasattr(os, "chown"):
                # Only root may give a file to another; who may write it may also own it.
                with suppress(PermissionError):
                    os.chown(new, there.st_uid, there.st_gid)
            # After the owner, whose change takes special bits away.
            new.chmod(there.st_mode & 0o7777)
        except BaseException:
            file.close()
            new.unlink()
            raise
    new.replace(target)
