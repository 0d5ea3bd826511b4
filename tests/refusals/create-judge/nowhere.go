package main

import (
	"context"
	"io"
	"net"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/registry/core/service/ipallocator"
	"k8s.io/kubernetes/pkg/registry/core/service/portallocator"
)

// nowhere stores nothing and has nothing stored.
func nowhere() generic.RESTOptions {
	config := storagebackend.NewDefaultConfig("/judge", noCodec{})
	return generic.RESTOptions{
		StorageConfig:  config.ForResource(schema.GroupResource{}),
		ResourcePrefix: "/judge",
		Decorator: func(
			*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error),
			func() runtime.Object, func() runtime.Object, storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers,
		) (storage.Interface, factory.DestroyFunc, error) {
			return empty{}, func() {}, nil
		},
	}
}

// empty is a storage in which no key is. A method that a dry run of a create does not call is not there.
type empty struct{ storage.Interface }

func (empty) Versioner() storage.Versioner { return storage.APIObjectVersioner{} }
func (empty) ReadinessCheck() error        { return nil }
func (empty) Get(_ context.Context, key string, _ storage.GetOptions, _ runtime.Object) error {
	return storage.NewKeyNotFoundError(key, 0)
}

// noCodec stands where an object becomes bytes and back, which a dry run does only to copy it.
type noCodec struct{}

func (noCodec) Identifier() runtime.Identifier         { return "none" }
func (noCodec) Encode(runtime.Object, io.Writer) error { return nil }
func (noCodec) Decode(_ []byte, _ *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	return into, nil, nil
}

// addresses lets a Service have any address: which ones are free, only a cluster knows.
type addresses struct {
	ipallocator.Interface
	free net.IP
}

func (a addresses) DryRun() ipallocator.Interface { return a }
func (a addresses) Allocate(net.IP) error         { return nil }
func (a addresses) AllocateNext() (net.IP, error) { return a.free, nil }
func (a addresses) Release(net.IP) error          { return nil }

// ports lets a Service have any node port.
type ports struct{ portallocator.Interface }

func (ports) Allocate(int) error         { return nil }
func (ports) AllocateNext() (int, error) { return 30000, nil }
func (ports) Release(int) error          { return nil }
func (ports) Has(int) bool               { return false }

// namespaces are all there, and open to what administrators may.
type namespaces struct{ typedv1.NamespaceInterface }

func (namespaces) Get(_ context.Context, name string, _ metav1.GetOptions) (*v1.Namespace, error) {
	return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{"resource.kubernetes.io/admin-access": "true"},
	}}, nil
}
