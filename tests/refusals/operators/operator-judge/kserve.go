//go:build kserve

package main

import (
	"context"

	"github.com/kserve/kserve/pkg/apis/serving/v1alpha1"
	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	"github.com/kserve/kserve/pkg/constants"
	"github.com/kserve/kserve/pkg/webhook/admission/servingruntime"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

var running = operator{
	scheme: []func(*runtime.Scheme) error{kubernetes.AddToScheme, v1alpha1.AddToScheme, v1beta1.AddToScheme},
	setup: func(m manager.Manager) error {
		read := admission.NewDecoder(m.GetScheme())
		server := m.GetWebhookServer()
		server.Register("/validate-serving-kserve-io-v1alpha1-servingruntime",
			&webhook.Admission{Handler: &servingruntime.ServingRuntimeValidator{Client: m.GetClient(), Decoder: read}})
		server.Register("/validate-serving-kserve-io-v1alpha1-clusterservingruntime",
			&webhook.Admission{Handler: &servingruntime.ClusterServingRuntimeValidator{Client: m.GetClient(), Decoder: read}})
		return ctrl.NewWebhookManagedBy(m).For(&v1beta1.InferenceService{}).
			WithDefaulter(filling{}).WithValidator(&v1beta1.InferenceServiceValidator{}).Complete()
	},
}

// filling does what KServe's own does once it has read its configuration, of which this is what it says of
// itself where nothing is set.
type filling struct{}

func (filling) Default(_ context.Context, object runtime.Object) error {
	deploy := &v1beta1.DeployConfig{DefaultDeploymentMode: string(constants.Standard)}
	object.(*v1beta1.InferenceService).DefaultInferenceService(&v1beta1.InferenceServicesConfig{}, deploy, nil, nil, nil)
	return nil
}
