//go:build training_operator

package main

import (
	training "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/webhooks"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

var running = operator{
	scheme: []func(*runtime.Scheme) error{training.AddToScheme},
	setup: func(m manager.Manager) error {
		for _, setup := range webhooks.SupportedSchemeWebhook {
			if err := setup(m); err != nil {
				return err
			}
		}
		return nil
	},
}
