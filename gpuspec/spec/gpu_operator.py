"""Settings of NVIDIA's GPU Operator that do not follow from the pools."""

from typing import Literal

from gpuspec.spec.forms import DcgmField, Positive, Version
from gpuspec.spec.types import Annotated, Duration, Model, doc


class DriverUpgrade(Model):
    """The driver upgrade of running nodes."""

    unavailable: Annotated[
        Positive, doc("Nodes that may be unavailable at the same time, per pool or in total.", 2)
    ] = 1
    wait: Annotated[
        Duration | None,
        doc(
            "How long a node waits for its training and batch work to finish, before GPU "
            "pods are evicted. Default: not at all.",
            "4h",
        ),
    ] = None


class OperatorDriver(Model):
    """The driver of nodes that the operator runs."""

    version: Annotated[
        Version | None,
        doc(
            "Version, in quotes, for pools without a `driver`. Default: that of the "
            "operator's release.",
            "580.105.08",
        ),
    ] = None
    preinstalled: Annotated[
        bool, doc("Nodes come with a driver, and the operator installs none.", True)
    ] = False
    upgrade: Annotated[
        DriverUpgrade,
        doc("How a node is upgraded.", {"unavailable": 2, "wait": "4h"}),
    ] = DriverUpgrade()


class DcgmExporter(Model):
    """The metrics of DCGM exporter."""

    metrics: Annotated[
        dict[DcgmField, Literal["counter", "gauge", "label"]],
        doc(
            "DCGM fields to export in addition to the default list, with each metric's type.",
            {"DCGM_FI_PROF_SM_ACTIVE": "gauge"},
        ),
    ]


class GpuOperator(Model):
    """Settings of the GPU Operator that do not follow from the pools."""

    driver: Annotated[
        OperatorDriver,
        doc("The driver.", {"version": "580.105.08", "upgrade": {"wait": "4h"}}),
    ] = OperatorDriver()
    dcgm_exporter: Annotated[
        DcgmExporter | None,
        doc(
            "What DCGM exporter measures. Default: its own list, plus what the alerts of "
            "`monitoring` need.",
            {"metrics": {"DCGM_FI_PROF_SM_ACTIVE": "gauge"}},
        ),
    ] = None
    node_feature_rules: Annotated[
        bool,
        doc(
            "Node Feature Discovery sets the `labels` that distinguish pools, by the GPUs "
            "on the nodes' PCI bus. Otherwise people or the provider set them.",
            True,
        ),
    ] = False
