"""The images and commands by which a server is recognised."""

from typing import Literal

from gpuspec.runtimes.fact import Fact


class Images(Fact, frozen=True, kw_only=True):
    """Repositories of one publisher."""

    repositories: tuple[str, ...]
    """The last parts of the repository path; registry and mirror do not count. An asterisk stands
    for one part, or for the rest of one."""
    other_tags: tuple[str, ...] = ()
    """Tags, with asterisks, of images that hold another program. If there are any, a digest without
    a tag does not identify the program."""
    cpu_tags: tuple[str, ...] = ()
    """Tags of builds that compute on the CPU only."""
    folders: tuple[str, ...] = ()
    """Folders with the program's files: a volume mounted there, or above, hides the program."""
    login: str | None = None
    """The registry that requires a login to pull; None if there is no such registry."""
    entrypoint: Literal["server", "command", "program"] | None = None
    """How the images' entrypoint uses `args`. `server`: as the arguments of the server, which it
    starts. `command`: as a command of the program that starts the server, such as `serve` for
    `ollama serve`. `program`: as a command line that begins with a program. None if images differ,
    or if it is not known."""
    hub: str | None = None
    """The download folder of these images, if it differs from that of the server's other images."""
    own_tags: bool = False
    """Whether tags are the publisher's releases, not the server's."""
    recognised: bool = True
    """Whether a container without a command runs the server; if not, only the tags matter."""


class Commands(Fact, frozen=True, kw_only=True):
    """Commands that identify the container's program, whatever its image.

    Each has one or more adjacent words.
    """

    serves: tuple[str, ...]
    """Commands that start the server."""
    others: tuple[str, ...] = ()
    """Commands that start something else from the server's image: a batch run, a benchmark, another
    program."""
