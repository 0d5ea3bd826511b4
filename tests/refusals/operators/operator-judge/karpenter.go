//go:build karpenter

package main

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime/schema"
	karpenter "sigs.k8s.io/karpenter/pkg/apis/v1"
	overlay "sigs.k8s.io/karpenter/pkg/apis/v1alpha1"
)

var running = operator{controllers: map[schema.GroupVersionKind]func([]byte) error{
	{Group: "karpenter.sh", Version: "v1", Kind: "NodePool"}:          nodePool,
	{Group: "karpenter.sh", Version: "v1alpha1", Kind: "NodeOverlay"}: nodeOverlay,
}}

// nodePool is what its validation says (pkg/controllers/nodepool/validation); none that fails gets nodes.
func nodePool(text []byte) error {
	var pool karpenter.NodePool
	check(json.Unmarshal(text, &pool))
	return pool.RuntimeValidate(context.Background())
}

func nodeOverlay(text []byte) error {
	var one overlay.NodeOverlay
	check(json.Unmarshal(text, &one))
	return one.RuntimeValidate(context.Background())
}
