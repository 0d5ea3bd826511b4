"""The pods of each side of a server whose prompts pods of their own compute."""

from tests.plan.conftest import Made, Values


def containers(made: Made, kind: str = "Deployment") -> dict[str, Values]:
    """The main container of each object of a kind, by the object's name."""
    found: dict[str, Values] = {}
    for one in made.objects:
        if one["kind"] == kind:
            spec = one["spec"]
            template = (
                spec["template"]
                if kind == "Deployment"
                else spec["leaderWorkerTemplate"].get("leaderTemplate")
                or spec["leaderWorkerTemplate"]["workerTemplate"]
            )
            found[one["metadata"]["name"]] = template["spec"]["containers"][0]
    return found


def labels(made: Made) -> dict[str, Values]:
    """The labels of the pods of each Deployment, by its name."""
    return {
        one["metadata"]["name"]: one["spec"]["template"]["metadata"]["labels"]
        for one in made.objects
        if one["kind"] == "Deployment"
    }


def selected(selector: Values, by: dict[str, Values]) -> list[str]:
    return [name for name, one in by.items() if selector.items() <= one.items()]


def after(words: list[str], option: str) -> list[str]:
    """What stands behind an option, each time that it is written."""
    return [words[at + 1] for at, word in enumerate(words) if word == option]
