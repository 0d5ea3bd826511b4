"""By what a server is recognised: its images and its commands."""

from typing import Literal

from gpuspec.runtimes.fact import Fact


class Images(Fact, frozen=True, kw_only=True):
    """Repositories of one publisher."""

    repositories: tuple[str, ...]
    """The last parts of the path, whatever registry or mirror stands in front. An asterisk is any
    one part, or any rest of one."""
    other_tags: tuple[str, ...] = ()
    """Tags, with asterisks too, that hold another program. Where there are any, a digest without a
    tag does not tell what an image holds."""
    cpu_tags: tuple[str, ...] = ()
    """Tags of builds that compute on the CPU alone."""
    folders: tuple[str, ...] = ()
    """Where the program lies: a volume there, or above, hides it."""
    login: str | None = None
    """The registry that gives them to nobody without a login."""
    entrypoint: Literal["server", "command", "program"] | None = None
    """What the images' entrypoint makes of `args`: the arguments of the server, which it starts; a
    command of the program that starts it, `serve` for `ollama serve`; or a command line that begins
    with a program. None where that differs, or is not known."""
    hub: str | None = None
    """The folder that downloads land in, where it is another than that of the server's other images."""
    own_tags: bool = False
    """Their tags count the publisher's releases and not the server's."""


class Commands(Fact, frozen=True, kw_only=True):
    """Commands that tell what a container does whatever its image is called.

    One or more words each, which stand together.
    """

    serves: tuple[str, ...]
    """They start the server."""
    others: tuple[str, ...] = ()
    """They make something else of its image: a batch run, a benchmark, another program."""
