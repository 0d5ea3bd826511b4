"""msgspec without what it takes along: a tenth of the time that one spec takes.

Only for the process that is the command line; a program that imports gpuspec gets it as it is.
"""

import sys


def import_msgspec() -> None:
    """Import msgspec without `typing_extensions`, which brings the whole of `inspect`.

    msgspec takes it where it is there, and needs it for no type of ours. Whoever asks for it later
    gets it; a msgspec that insists on it is imported as usual then.
    """
    name = "typing_extensions"
    if name in sys.modules:
        return
    sys.modules[name] = None  # type: ignore[assignment]  # how Python is told that there is none
    try:
        import msgspec  # noqa: F401  # for those who import it next
    except ImportError:
        pass
    finally:
        del sys.modules[name]
