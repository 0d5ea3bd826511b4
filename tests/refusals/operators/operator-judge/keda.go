//go:build keda

package main

import (
	keda "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

var running = operator{
	scheme: []func(*runtime.Scheme) error{kubernetes.AddToScheme, keda.AddToScheme},
	setup: func(m manager.Manager) error {
		if err := (&keda.ScaledObject{}).SetupWebhookWithManager(m, false); err != nil {
			return err
		}
		return (&keda.ScaledJob{}).SetupWebhookWithManager(m)
	},
}

func (m nowhere) GetEventRecorder(string) events.EventRecorder { return nil }
