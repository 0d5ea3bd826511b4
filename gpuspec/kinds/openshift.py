"""OpenShift: routes of its router, its older Deployments, and templates of objects. Sources: the CRD
and the types of openshift/api."""

from gpuspec.kinds.apps import ALWAYS
from gpuspec.kinds.model import Kind, Otherwise, Reference, Rolls
from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.references import secret

KINDS = (
    Kind(
        "route.openshift.io",
        "Route",
        "traffic",
        refers=(
            Reference("spec.to", "name", "", "Service", kind_at="kind"),
            Reference("spec.alternateBackends.*", "name", "", "Service", kind_at="kind"),
            secret("spec.tls.externalCertificate"),
        ),
    ),
    Kind(
        "apps.openshift.io",
        "DeploymentConfig",
        "workload",
        templates=("spec.template",),
        life="service",
        # Its image triggers fill in images.
        image_filled=True,
        scaled=REPLICAS,
        filled=ALWAYS,
        rolls=Rolls(
            "restart",
            "restarts the pods",
            otherwise=(
                Otherwise(
                    "spec.strategy.type",
                    "Recreate",
                    "restart",
                    "restarts the pods, all at once (`Recreate`)",
                ),
            ),
        ),
    ),
    Kind(
        "template.openshift.io",
        "Template",
        "list",
        objects=("objects.*",),
        parameters="parameters.*",
    ),
)
