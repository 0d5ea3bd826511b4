package gpuspecrecord

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// external is an object as clients write it, in the version that is served longest, or an object around
// a part of one; nil for what is neither. The value stays as it is.
func external(value reflect.Value) (found runtime.Object) {
	defer func() {
		if recover() != nil { // converting wants what a decoder or defaults always put there
			found = nil
		}
	}()
	object := pointer(value)
	if object == nil {
		if value = around(value); !value.IsValid() {
			return nil
		}
		object = pointer(value)
	}
	kind, ok := stable(object)
	if !ok {
		return nil
	}
	converted, err := legacyscheme.Scheme.ConvertToVersion(object.DeepCopyObject(), kind.GroupVersion())
	if err != nil {
		return nil
	}
	converted.GetObjectKind().SetGroupVersionKind(kind)
	return converted
}

func pointer(value reflect.Value) runtime.Object {
	target := reflect.New(value.Type())
	target.Elem().Set(value)
	object, _ := target.Interface().(runtime.Object)
	return object
}

// stable is the kind of an internal object in the best version of those that it is registered in.
func stable(object runtime.Object) (schema.GroupVersionKind, bool) {
	internal, _, err := legacyscheme.Scheme.ObjectKinds(object)
	if err != nil {
		return schema.GroupVersionKind{}, false
	}
	var found []schema.GroupVersionKind
	for _, one := range internal {
		if one.Version != runtime.APIVersionInternal {
			continue
		}
		for _, served := range legacyscheme.Scheme.PrioritizedVersionsForGroup(one.Group) {
			if kind := served.WithKind(one.Kind); legacyscheme.Scheme.Recognizes(kind) {
				found = append(found, kind)
			}
		}
	}
	if len(found) == 0 {
		return schema.GroupVersionKind{}, false
	}
	return slices.MaxFunc(found, func(a, b schema.GroupVersionKind) int {
		return version.CompareKubeAwareVersionStrings(a.Version, b.Version)
	}), true
}
