"""Releases as people write them."""

from textwrap import indent


def release(values: str, chart: str = "chartRef: {kind: OCIRepository, name: app-template}") -> str:
    """A HelmRelease with these values, which begin on its eighth line."""
    return (
        "apiVersion: helm.toolkit.fluxcd.io/v2\n"
        "kind: HelmRelease\n"
        "metadata: {name: studio, namespace: media}\n"
        "spec:\n"
        "  interval: 30m\n"
        f"  {chart}\n"
        "  values:\n"
    ) + indent(values, "    ")
