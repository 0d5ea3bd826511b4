"""Node labels of spot nodes, which can be reclaimed at short notice."""

SPOT_LABELS = {
    "cloud.google.com/gke-spot": "true",
    "cloud.google.com/gke-preemptible": "true",
    "cloud.google.com/gke-provisioning": "spot",
    "karpenter.sh/capacity-type": "spot",
    "eks.amazonaws.com/capacityType": "SPOT",
    "kubernetes.azure.com/scalesetpriority": "spot",
    "kubernetes.azure.com/priority": "spot",
    "machine.openshift.io/interruptible-instance": "",
}
"""The value for spot nodes, by label key: GKE; Karpenter and EKS Auto Mode; EKS managed node
groups; AKS; OpenShift. Sources: the providers' node label references, as `labels.yaml` names them.
"""
