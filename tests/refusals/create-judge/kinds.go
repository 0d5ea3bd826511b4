package main

import (
	"net"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/endpoints/deprecation"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/component-base/version"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/controlplane"
	kubeletclient "k8s.io/kubernetes/pkg/kubelet/client"
	admissionregistrationrest "k8s.io/kubernetes/pkg/registry/admissionregistration/rest"
	apiserverinternalrest "k8s.io/kubernetes/pkg/registry/apiserverinternal/rest"
	appsrest "k8s.io/kubernetes/pkg/registry/apps/rest"
	autoscalingrest "k8s.io/kubernetes/pkg/registry/autoscaling/rest"
	batchrest "k8s.io/kubernetes/pkg/registry/batch/rest"
	certificatesrest "k8s.io/kubernetes/pkg/registry/certificates/rest"
	coordinationrest "k8s.io/kubernetes/pkg/registry/coordination/rest"
	endpointsstore "k8s.io/kubernetes/pkg/registry/core/endpoint/storage"
	limitrangestore "k8s.io/kubernetes/pkg/registry/core/limitrange/storage"
	nodestore "k8s.io/kubernetes/pkg/registry/core/node/storage"
	pvstore "k8s.io/kubernetes/pkg/registry/core/persistentvolume/storage"
	pvcstore "k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim/storage"
	podstore "k8s.io/kubernetes/pkg/registry/core/pod/storage"
	podtemplatestore "k8s.io/kubernetes/pkg/registry/core/podtemplate/storage"
	controllerstore "k8s.io/kubernetes/pkg/registry/core/replicationcontroller/storage"
	corerest "k8s.io/kubernetes/pkg/registry/core/rest"
	"k8s.io/kubernetes/pkg/registry/core/service/ipallocator"
	servicestore "k8s.io/kubernetes/pkg/registry/core/service/storage"
	discoveryrest "k8s.io/kubernetes/pkg/registry/discovery/rest"
	eventsrest "k8s.io/kubernetes/pkg/registry/events/rest"
	flowcontrolrest "k8s.io/kubernetes/pkg/registry/flowcontrol/rest"
	networkingrest "k8s.io/kubernetes/pkg/registry/networking/rest"
	noderest "k8s.io/kubernetes/pkg/registry/node/rest"
	policyrest "k8s.io/kubernetes/pkg/registry/policy/rest"
	rbacrest "k8s.io/kubernetes/pkg/registry/rbac/rest"
	schedulingrest "k8s.io/kubernetes/pkg/registry/scheduling/rest"
	storagerest "k8s.io/kubernetes/pkg/registry/storage/rest"
	svmrest "k8s.io/kubernetes/pkg/registry/storagemigration/rest"
)

// kind is one kind that is served, in one version.
type kind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespaced bool   `json:"namespaced"`

	resource   schema.GroupVersionResource
	storage    creater
	deprecated string // what the server warns of at each request, or nothing
}

// creater is what the request handler of a create is made from.
type creater interface {
	rest.Creater
	rest.Scoper
}

// provider makes the storages of one group, as the server's own providers do.
type provider interface {
	NewRESTStorage(serverstorage.APIResourceConfigSource, generic.RESTOptionsGetter) (genericapiserver.APIGroupInfo, error)
}

// everybody may do everything: whether a user may is a cluster's to say.
var everybody = authorizerfactory.NewAlwaysAllowAuthorizer()

// providers are those of the server (controlplane.CompletedConfig.StorageProviders), but the reviews
// of authentication and authorization, which are questions and no objects.
var providers = []provider{
	core{},
	apiserverinternalrest.StorageProvider{},
	autoscalingrest.RESTStorageProvider{},
	batchrest.RESTStorageProvider{},
	certificatesrest.RESTStorageProvider{Authorizer: everybody},
	coordinationrest.RESTStorageProvider{},
	discoveryrest.StorageProvider{},
	networkingrest.RESTStorageProvider{},
	noderest.RESTStorageProvider{},
	policyrest.RESTStorageProvider{},
	rbacrest.RESTStorageProvider{Authorizer: everybody},
	schedulingrest.RESTStorageProvider{},
	storagerest.RESTStorageProvider{},
	svmrest.RESTStorageProvider{},
	flowcontrolrest.RESTStorageProvider{},
	appsrest.StorageProvider{},
	admissionregistrationrest.RESTStorageProvider{Authorizer: everybody},
	eventsrest.RESTStorageProvider{},
	resources, // they differ between the minors
}

// served is every kind that a server serves by default and takes a create of.
func served() (map[schema.GroupVersionKind]kind, error) {
	kinds := map[schema.GroupVersionKind]kind{}
	config := controlplane.DefaultAPIResourceConfigSource()
	for _, provider := range providers {
		group, err := provider.NewRESTStorage(config, nowhere())
		if err != nil {
			return nil, err
		}
		for version, storages := range group.VersionedResourcesStorageMap {
			gv := schema.GroupVersion{Group: group.PrioritizedVersions[0].Group, Version: version}
			for name, storage := range storages {
				creater, ok := storage.(creater)
				if !ok || strings.Contains(name, "/") {
					continue
				}
				gvk, err := endpoints.GetResourceKind(gv, storage, legacyscheme.Scheme)
				if err != nil {
					return nil, err
				}
				kinds[gvk] = kind{
					gv.String(), gvk.Kind, creater.NamespaceScoped(),
					gv.WithResource(name), creater, deprecated(gvk),
				}
			}
		}
	}
	return kinds, nil
}

// deprecated is what the server warns of at every request for a kind that is to go.
func deprecated(gvk schema.GroupVersionKind) string {
	example, err := legacyscheme.Scheme.New(gvk)
	if err != nil {
		return ""
	}
	example.GetObjectKind().SetGroupVersionKind(gvk)
	major, minor, _ := deprecation.MajorMinor(version.Get())
	if !deprecation.IsDeprecated(example, major, minor) {
		return ""
	}
	return deprecation.WarningMessage(example)
}

func sorted(kinds map[schema.GroupVersionKind]kind) []kind {
	var all []kind
	for _, one := range kinds {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b kind) int {
		return strings.Compare(a.APIVersion+" "+a.Kind, b.APIVersion+" "+b.Kind)
	})
	return all
}

// core provides the group without a name. The server's own provider wants clients of a running server
// for what is not about creating.
type core struct{}

func (core) NewRESTStorage(config serverstorage.APIResourceConfigSource, options generic.RESTOptionsGetter) (genericapiserver.APIGroupInfo, error) {
	group, err := (&corerest.GenericConfig{}).NewRESTStorage(config, options)
	if err != nil {
		return group, err
	}
	storages := group.VersionedResourcesStorageMap["v1"]
	keep := func(name string, storage rest.Storage, failed error) {
		storages[name] = storage
		if err == nil {
			err = failed
		}
	}
	templates, failed := podtemplatestore.NewREST(options)
	keep("podtemplates", templates, failed)
	limits, failed := limitrangestore.NewREST(options)
	keep("limitranges", limits, failed)
	volumes, _, failed := pvstore.NewREST(options)
	keep("persistentvolumes", volumes, failed)
	claims, _, failed := pvcstore.NewREST(options)
	keep("persistentvolumeclaims", claims, failed)
	endpoints, failed := endpointsstore.NewREST(options)
	keep("endpoints", endpoints, failed)
	nodes, failed := nodestore.NewStorage(options, kubeletclient.KubeletClientConfig{}, nil)
	if failed != nil {
		return group, failed
	}
	keep("nodes", nodes.Node, nil)
	pods, failed := podstore.NewStorage(options, nil, nil, nil, everybody)
	keep("pods", pods.Pod, failed)
	controllers, failed := controllerstore.NewStorage(options)
	keep("replicationcontrollers", controllers.Controller, failed)
	services, _, _, failed := servicestore.NewREST(options, api.IPv4Protocol, map[api.IPFamily]ipallocator.Interface{
		api.IPv4Protocol: addresses{free: net.ParseIP("10.96.0.10")},
		api.IPv6Protocol: addresses{free: net.ParseIP("fd00::10")},
	}, ports{}, nil, pods.Pod, nil)
	keep("services", services, failed)
	return group, err
}
