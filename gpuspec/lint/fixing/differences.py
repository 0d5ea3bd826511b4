"""What fixes change, as a patch."""


def diff(name: str, before: str, after: str) -> str:
    """A unified diff that `git apply` and `patch -p1` take; empty where nothing differs.

    Lines keep their ends, so a file with Windows line ends has them in its patch too.
    """
    # Few runs print one.
    from difflib import unified_diff

    from gpuspec.escaping.formats import patch_name

    # git refuses a path with a step that leads nowhere.
    name = name.removeprefix("./")
    old, new = (f"{side}/{name}" for side in "ab") if _is_relative(name) else (name, name)
    lines = unified_diff(_lines(before), _lines(after), patch_name(old), patch_name(new))
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _is_relative(name: str) -> bool:
    return not name.startswith(("/", "<", "..")) and ":" not in name


def _lines(text: str) -> list[str]:
    """Lines with their ends. Only a line feed ends one, as in every program that reads patches."""
    lines = [f"{line}\n" for line in text.split("\n")]
    return [*lines[:-1], lines[-1][:-1]] if lines[-1] != "\n" else lines[:-1]
