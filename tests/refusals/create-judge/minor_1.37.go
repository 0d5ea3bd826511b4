//go:build minor1.37

package main

import resourcerest "k8s.io/kubernetes/pkg/registry/resource/rest"

var resources = resourcerest.RESTStorageProvider{NamespaceClient: namespaces{}, Authorizer: everybody}
