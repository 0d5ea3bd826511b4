"""The texts of `gpuspec init`: one commented spec for each kind."""

from pathlib import Path

from gpuspec import runtimes
from gpuspec.spec.quoting import either


def starter(name: str) -> str:
    """Return the text for a name such as `inference` or `smoke-test`. Raises `KeyError`."""
    path = Path(__file__).parent / f"{name}.yaml"
    if not path.is_file():
        raise KeyError(name)
    return path.read_text(encoding="utf-8").replace("<runtimes>", either(runtimes.names()))
