"""Namespaces as our users have them: restricted, with the service account that pods need."""

from tests.control_plane.client import Client, Ref, Refused, until


def restricted(client: Client, name: str, level: str = "restricted") -> str:
    """A namespace of this name, made if it is not there; pods can be created in it from now on.

    It enforces `restricted`, or another level, and warns of whatever breaks it, whoever made it. Gives its name.
    """
    modes = {f"pod-security.kubernetes.io/{mode}": level for mode in ("audit", "enforce", "warn")}
    labels = {"metadata": {"labels": modes}}
    try:
        client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    except Refused as refused:
        if refused.reason != "AlreadyExists":
            raise
    client.patch(Ref("v1", "Namespace", name), labels)
    account = Ref("v1", "ServiceAccount", "default", name)
    until(lambda: client.find(account), f"{name} has its service account")
    return name
