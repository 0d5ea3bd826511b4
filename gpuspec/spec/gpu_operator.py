"""What NVIDIA's GPU Operator is told, beyond what follows from the pools."""

from typing import Literal

from gpuspec.spec.forms import DcgmField, Positive, Version
from gpuspec.spec.types import Annotated, Duration, Model, doc


class DriverUpgrade(Model):
    """How nodes that run are given another version of the driver."""

    unavailable: Annotated[
        Positive, doc("Nodes that may be out at the same time, of each pool or of all.", 2)
    ] = 1
    wait: Annotated[
        Duration | None,
        doc(
            "How long a node waits for training and batch work on it to end, before pods with GPUs "
            "are evicted. Unset: it does not wait.",
            "4h",
        ),
    ] = None


class OperatorDriver(Model):
    """The driver of nodes that the operator runs."""

    version: Annotated[
        Version | None,
        doc(
            "Version, in quotes, on pools that name none as their `driver`. Unset: that of the "
            "operator's release.",
            "580.105.08",
        ),
    ] = None
    preinstalled: Annotated[
        bool, doc("Nodes come with a driver, and the operator installs none.", True)
    ] = False
    upgrade: Annotated[
        DriverUpgrade,
        doc("How a node gets another version.", {"unavailable": 2, "wait": "4h"}),
    ] = DriverUpgrade()


class DcgmExporter(Model):
    """What DCGM exporter measures."""

    metrics: Annotated[
        dict[DcgmField, Literal["counter", "gauge", "label"]],
        doc(
            "Fields of DCGM that it exports beside those of its own list, and the type of each metric.",
            {"DCGM_FI_PROF_SM_ACTIVE": "gauge"},
        ),
    ]


class GpuOperator(Model):
    """What the GPU Operator is told, beyond what follows from the pools."""

    driver: Annotated[
        OperatorDriver,
        doc("The driver.", {"version": "580.105.08", "upgrade": {"wait": "4h"}}),
    ] = OperatorDriver()
    dcgm_exporter: Annotated[
        DcgmExporter | None,
        doc(
            "What DCGM exporter measures. Unset: its own list, and what alerts of `monitoring` ask for.",
            {"metrics": {"DCGM_FI_PROF_SM_ACTIVE": "gauge"}},
        ),
    ] = None
    node_feature_rules: Annotated[
        bool,
        doc(
            "Nodes get the `labels` that pools are told apart by from Node Feature Discovery, by the "
            "GPUs on their PCI bus. Else people or the provider label them.",
            True,
        ),
    ] = False
