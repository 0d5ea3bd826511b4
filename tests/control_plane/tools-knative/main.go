// Says what Knative Serving answers to a Service, and which Deployment it makes of its first revision.
//
// Reads one request from stdin: the Service, and what the cluster's ConfigMaps say. What its webhook fills
// in, what it refuses and warns of, and the Deployment are its own code; nothing is served or stored.
package main

import (
	"context"
	"encoding/json"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	netcfg "knative.dev/networking/pkg/config"
	"knative.dev/pkg/apis"
	"knative.dev/pkg/logging"
	apiconfig "knative.dev/serving/pkg/apis/config"
	"knative.dev/serving/pkg/apis/serving"
	servingv1 "knative.dev/serving/pkg/apis/serving/v1"
	autoscalerconfig "knative.dev/serving/pkg/autoscaler/config"
	"knative.dev/serving/pkg/deployment"
	"knative.dev/serving/pkg/observability"
	revisionconfig "knative.dev/serving/pkg/reconciler/revision/config"
	"knative.dev/serving/pkg/reconciler/revision/resources"
)

type request struct {
	Features map[string]string  `json:"features"`
	Defaults map[string]string  `json:"defaults"`
	Service  *servingv1.Service `json:"service"`
}

type answer struct {
	Errors     []string           `json:"errors"`
	Warnings   []string           `json:"warnings"`
	Stored     *servingv1.Service `json:"stored"`
	Deployment *appsv1.Deployment `json:"deployment"`
}

func main() {
	var asked request
	must(json.NewDecoder(os.Stdin).Decode(&asked))
	must(os.Setenv("SYSTEM_NAMESPACE", "knative-serving"))
	settings := configure(asked)
	context := apis.WithinCreate(apiconfig.ToContext(context.Background(), settings.Config))
	service := asked.Service
	service.SetDefaults(context)
	said := service.Validate(context)
	found := answer{
		Errors:   texts(said.Filter(apis.ErrorLevel)),
		Warnings: texts(said.Filter(apis.WarningLevel)),
		Stored:   service,
	}
	if len(found.Errors) == 0 {
		made, err := resources.MakeDeployment(revision(service), settings)
		must(err)
		found.Deployment = made
	}
	must(json.NewEncoder(os.Stdout).Encode(found))
}

func configure(asked request) *revisionconfig.Config {
	features, err := apiconfig.NewFeaturesConfigFromMap(asked.Features)
	must(err)
	defaults, err := apiconfig.NewDefaultsConfigFromMap(asked.Defaults)
	must(err)
	scaling, err := autoscalerconfig.NewConfigFromMap(nil)
	must(err)
	deployed, err := deployment.NewConfigFromMap(map[string]string{
		deployment.QueueSidecarImageKey: "gcr.io/knative-releases/queue:latest",
	})
	must(err)
	logs, err := logging.NewConfigFromMap(nil)
	must(err)
	network, err := netcfg.NewConfigFromMap(nil)
	must(err)
	observed, err := observability.NewFromMap(nil)
	must(err)
	return &revisionconfig.Config{
		Config:        &apiconfig.Config{Defaults: defaults, Features: features, Autoscaler: scaling},
		Deployment:    deployed,
		Logging:       logs,
		Network:       network,
		Observability: observed,
	}
}

// The first revision of a Service, as its controllers name and label it.
func revision(service *servingv1.Service) *servingv1.Revision {
	template := service.Spec.Template
	labels := map[string]string{}
	for key, value := range template.Labels {
		labels[key] = value
	}
	labels[serving.ServiceLabelKey] = service.Name
	labels[serving.ConfigurationLabelKey] = service.Name
	return &servingv1.Revision{
		ObjectMeta: metav1.ObjectMeta{
			Name:        service.Name + "-00001",
			Namespace:   service.Namespace,
			Labels:      labels,
			Annotations: template.Annotations,
			UID:         "first",
		},
		Spec: template.Spec,
	}
}

func texts(said *apis.FieldError) []string {
	found := []string{}
	for _, each := range said.WrappedErrors() {
		found = append(found, each.Error())
	}
	return found
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
