module gpuspec.dev/tests/control-plane/tools-gateway-api

go 1.26.0

// Only its definitions are read.
require sigs.k8s.io/gateway-api v1.6.1
