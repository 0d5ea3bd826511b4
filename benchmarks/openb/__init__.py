"""The public protocol of fragmentation gradient descent, replayed on the trace that it was shown on.

Weng et al., Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient
Descent, USENIX ATC 2023; trace alibaba/clusterdata, cluster-trace-gpu-v2023 (openb); protocol and
policies hkust-adsl/kubernetes-scheduler-simulator. docs/fragmentation.md tells what comes out.
"""
