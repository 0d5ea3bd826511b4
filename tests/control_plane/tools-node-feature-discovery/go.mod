module gpuspec.dev/tests/control-plane/tools-node-feature-discovery

go 1.26.0

// Only its definitions are read.
require sigs.k8s.io/node-feature-discovery v0.19.0
