package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// asked are the webhooks of an operator, by their paths, and the kinds that it knows.
type asked struct {
	hooks  map[string]*admission.Webhook
	scheme *runtime.Scheme
}

// version is the one of a kind that the webhooks are for: the server asks them about others in it.
func (a asked) version(kind schema.GroupVersionKind) schema.GroupVersionKind {
	versions := append([]schema.GroupVersion{kind.GroupVersion()}, a.scheme.VersionsForGroupKind(kind.GroupKind())...)
	for _, version := range versions {
		one := version.WithKind(kind.Kind)
		if a.hooks["/mutate-"+path(one)] != nil || a.hooks["/validate-"+path(one)] != nil {
			return one
		}
	}
	return kind
}

// converted is an object in another version: by the operator's own code, or by its name alone.
func (a asked) converted(text []byte, from, to schema.GroupVersionKind) ([]byte, error) {
	if from == to {
		return text, nil
	}
	old, err := a.read(text, from)
	if err != nil {
		return nil, err
	}
	made, err := a.scheme.New(to)
	check(err)
	if spoke, hub, ok := pair(old, made); ok {
		err = spoke.ConvertTo(hub)
	} else if spoke, hub, ok := pair(made, old); ok {
		err = spoke.ConvertFrom(hub)
	} else {
		return renamed(text, to)
	}
	if err != nil {
		return nil, err
	}
	made.GetObjectKind().SetGroupVersionKind(to)
	return json.Marshal(made)
}

func pair(one, other runtime.Object) (spoke conversion.Convertible, hub conversion.Hub, ok bool) {
	spoke, isSpoke := one.(conversion.Convertible)
	hub, isHub := other.(conversion.Hub)
	return spoke, hub, isSpoke && isHub
}

func (a asked) read(text []byte, kind schema.GroupVersionKind) (runtime.Object, error) {
	one, err := a.scheme.New(kind)
	check(err)
	return one, json.Unmarshal(text, one)
}

func renamed(text []byte, kind schema.GroupVersionKind) ([]byte, error) {
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	object["apiVersion"] = kind.GroupVersion().String()
	return json.Marshal(object)
}
