//go:build kueue

package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
	before "sigs.k8s.io/kueue/apis/kueue/v1beta1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/webhooks"
)

var running = operator{
	scheme: []func(*runtime.Scheme) error{kubernetes.AddToScheme, kueue.AddToScheme, before.AddToScheme},
	setup: func(m manager.Manager) error {
		_, err := webhooks.Setup(m, nil)
		return err
	},
}

func (m nowhere) GetConverterRegistry() conversion.Registry { return conversion.NewRegistry() }
