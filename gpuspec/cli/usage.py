"""Wrong options and arguments, in the form of all other problems."""

import re
from collections.abc import Iterator
from typing import Any

import typer

from gpuspec.cli.suggestions import choice, nearest


def usage_problem(error: typer.TyperException) -> tuple[str, str | None]:
    """Return the problem and what to write instead.

    Typer's own classes of usage errors are not public: the attributes of an error tell its kind.
    """
    context: Any = getattr(error, "ctx", None)
    param: Any = getattr(error, "param", None)
    hint = f"see {context.command_path} --help" if context is not None else None
    if hasattr(error, "possibilities"):
        wrong = str(getattr(error, "option_name", ""))
        opts = [
            name
            for get_param in context.command.get_params(context)
            for name in get_param.opts
            if name.startswith("--")
        ]
        if "argocd" in context.command_path and wrong == "--set":
            hint = (
                "a parameter of the Application sets a field: name it NAME:path, such as "
                "chat:replicas.max"
            )
        else:
            hint = _elsewhere(context, wrong) if nearest(wrong, opts) is None else None
        return f"{context.command_path} has no option `{wrong}`", hint or choice(wrong, opts)
    if param is not None and not error.message:
        name = param.human_readable_name.removesuffix("...")
        return f"{name} is missing: {_lower(param.help or '').rstrip('.')}", hint
    if param is not None:
        name = max(param.opts, key=len) if param.param_type_name == "option" else param.metavar
        message = error.message.rstrip(".").replace("a valid int range", "a whole number")
        choices = getattr(param.type, "choices", None)
        typed = re.match("'(.*)' is not one of ", message)
        nearest_choice = nearest(typed[1], choices) if choices and typed else None
        return (
            f"{name}: {message}",
            f"did you mean `{name} {nearest_choice}`?" if nearest_choice else hint,
        )
    return _lower(error.format_message().rstrip(".")), hint


def _elsewhere(context: Any, option: str) -> str | None:
    """Return which other commands have an option; None if no command has it."""
    root = context.find_root()
    owners = [
        f"`{path}`"
        for path, command in _commands(root.info_name, root.command)
        if any(option in param.opts for param in command.params)
    ]
    if not owners:
        return None
    return f"{', '.join(owners)} {'has' if len(owners) == 1 else 'have'} it"


def _commands(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield the path and the command of each visible command below one."""
    for name, below in getattr(command, "commands", {}).items():
        if not below.hidden:
            yield f"{path} {name}", below
            yield from _commands(f"{path} {name}", below)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
