"""OpenShift: routes of its router. Source: the CRD of openshift/api."""

from gpuspec.kinds.model import Kind, Reference
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
)
