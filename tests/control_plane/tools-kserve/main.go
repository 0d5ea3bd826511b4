// Runs KServe's controller of InferenceServices, and its webhooks for these and for their pods.
//
// The operator's own program looks for certificates where a pod mounts them. This one is given a folder;
// kinds that nothing here makes (graphs, trained models) are left out.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/kserve/kserve/pkg/apis/serving/v1beta1"
	controllers "github.com/kserve/kserve/pkg/controller/v1beta1/inferenceservice"
	kservescheme "github.com/kserve/kserve/pkg/scheme"
	"github.com/kserve/kserve/pkg/webhook/admission/pod"
	"github.com/kserve/kserve/pkg/webhook/admission/servingruntime"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func main() {
	probes := flag.String("health-probe-bind-address", ":8081", "where its probes are answered")
	port := flag.Int("webhook-server-port", 9443, "where its webhooks listen")
	certificates := flag.String("webhook-cert-dir", "", "folder of tls.crt and tls.key")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	configuration := ctrl.GetConfigOrDie()
	configuration.QPS, configuration.Burst = 300, 500
	clients, err := kubernetes.NewForConfig(configuration)
	must(err)
	cache, err := controllers.NewCacheOptions()
	must(err)
	manager, err := ctrl.NewManager(configuration, ctrl.Options{
		Metrics:                server.Options{BindAddress: "0"},
		WebhookServer:          webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: *port, CertDir: *certificates}),
		HealthProbeBindAddress: *probes,
		Cache:                  cache,
	})
	must(err)
	must(kservescheme.AddAll(manager.GetScheme()))
	settings, err := v1beta1.GetInferenceServiceConfigMap(context.Background(), clients)
	must(err)
	deploy, err := v1beta1.NewDeployConfig(settings)
	must(err)
	ingress, err := v1beta1.NewIngressConfig(settings)
	must(err)
	must((&controllers.InferenceServiceReconciler{
		Client:    manager.GetClient(),
		Clientset: clients,
		Log:       ctrl.Log.WithName("InferenceService"),
		Scheme:    manager.GetScheme(),
		Recorder:  manager.GetEventRecorderFor("kserve"),
	}).SetupWithManager(manager, deploy, ingress))
	manager.GetWebhookServer().Register("/mutate-pods", &webhook.Admission{Handler: &pod.Mutator{
		Client: manager.GetClient(), Clientset: clients, Decoder: admission.NewDecoder(manager.GetScheme()),
	}})
	must(ctrl.NewWebhookManagedBy(manager).For(&v1beta1.InferenceService{}).
		WithDefaulter(&v1beta1.InferenceServiceDefaulter{}).
		WithValidator(&v1beta1.InferenceServiceValidator{}).
		Complete())
	decoder := admission.NewDecoder(manager.GetScheme())
	for path, handler := range map[string]admission.Handler{
		"clusterservingruntime": &servingruntime.ClusterServingRuntimeValidator{Client: manager.GetClient(), Decoder: decoder},
		"servingruntime":        &servingruntime.ServingRuntimeValidator{Client: manager.GetClient(), Decoder: decoder},
	} {
		manager.GetWebhookServer().Register(
			"/validate-serving-kserve-io-v1alpha1-"+path, &webhook.Admission{Handler: handler})
	}
	must(manager.AddReadyzCheck("readyz", healthz.Ping))
	must(manager.Start(ctrl.SetupSignalHandler()))
}

func must(err error) {
	if err != nil {
		ctrl.Log.Error(err, "it cannot run")
		os.Exit(1)
	}
}
