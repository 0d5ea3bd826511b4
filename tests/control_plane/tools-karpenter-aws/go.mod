module gpuspec.dev/tests/control-plane/tools-karpenter-aws

go 1.26.6

// Only its definitions are read.
require github.com/aws/karpenter-provider-aws v1.14.1
