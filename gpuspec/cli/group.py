"""How commands are found and how their usage is printed: subclasses of typer's classes."""

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from gpuspec.cli.codes import WRONG
from gpuspec.cli.program import as_typed, host
from gpuspec.cli.suggestions import choice, nearest
from gpuspec.cli.terminal import COLORS, choose_color, data, talk

HELP = "help"
_COMPLETION = ("install_completion", "show_completion")
_WHOLE = 1000
"""Characters that no summary contains."""


class GpuspecGroup(TyperGroup):
    """The program: suggests a command for a mistyped one, and prints help without arguments."""

    def get_params(self, ctx: Any) -> Any:
        """Return the program's own options; kubectl installs the completion of its plugins."""
        params = super().get_params(ctx)
        return [param for param in params if not (host() and param.name in _COMPLETION)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Print help to stderr if there are no arguments: stdout is for data."""
        if not args and not ctx.resilient_parsing:
            talk(ctx.get_help() + "\n")
            raise typer.Exit(WRONG)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command of that name; `help` shows its help. Raises `InputError` with a
        suggestion.
        """
        if args[0] == HELP and HELP not in self.commands and not ctx.resilient_parsing:
            args = [*args[1:], f"--{HELP}"]
            if len(args) == 1:
                data(ctx.get_help() + "\n")
                raise typer.Exit
        if args[0] not in self.commands and not ctx.resilient_parsing:
            from gpuspec import InputError, Problem
            from gpuspec.escaping.meant import did_you_mean

            # `gpuspec version` is an option here.
            options = [name for param in self.get_params(ctx) for name in param.opts]
            options += self.commands
            nearest_command = nearest(args[0], options)
            command_path = ctx.command_path
            hint = (
                f"did you mean `{command_path} {nearest_command}`?"
                if nearest_command
                else did_you_mean(args[0], options)
            )
            existing_commands = f"commands: {', '.join(self.commands)}; see {command_path} --help"
            raise InputError([Problem(f"no command `{args[0]}`", hint=hint or existing_commands)])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each command with its complete summary."""
        shown = [(name, command) for name, command in self.commands.items() if not command.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, command.get_short_help_str(_WHOLE)) for name, command in shown]
            )

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the help in lines that fit."""
        _write(formatter, self.help)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the text below the help in lines that fit."""
        _write(formatter, self.epilog)


class GpuspecCommand(TyperCommand):
    """A command whose usage line names its arguments like its help, and that can colour its output."""

    def get_params(self, ctx: Any) -> Any:
        """Return the command's own options, the shared one, and `--help`."""
        *command_params, last = super().get_params(ctx)
        return [*command_params, _color(), last]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return `[OPTIONS] SPEC...`, or only `KIND` if `--help` is the one option."""
        kinds = [param.param_type_name for param in self.params]
        names = [p.make_metavar(ctx) for p in self.params if p.param_type_name == "argument"]
        return [*(["[OPTIONS]"] if "option" in kinds else []), *names]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the help in lines that fit."""
        _write(formatter, self.help)


def _write(formatter: Any, text: str | None) -> None:
    from gpuspec.cli import help_text

    help_text.write(formatter, as_typed(text) if text else text)


def _color() -> TyperOption:
    return TyperOption(
        param_decls=["--color"],
        metavar="<" + "|".join(COLORS) + ">",
        help="Colour the output: auto, always or never. Default: auto, only on a terminal.",
        expose_value=False,
        callback=_chosen_color,
        autocompletion=lambda incomplete: [
            color for color in COLORS if color.startswith(incomplete)
        ],
    )


def _chosen_color(ctx: Any, param: Any, value: str | None) -> None:
    if value is None:
        return
    if value not in COLORS:
        from gpuspec import InputError, Problem

        hint = choice(value, COLORS)
        raise InputError([Problem(f"--color {value}: no such choice", hint=hint)])
    choose_color(value)
