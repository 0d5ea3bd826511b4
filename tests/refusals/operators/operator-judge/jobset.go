//go:build jobset

package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/jobset/pkg/webhooks"
)

var running = operator{
	scheme: []func(*runtime.Scheme) error{kubernetes.AddToScheme, jobset.AddToScheme},
	setup:  webhooks.Setup,
}
