package gpuspecrecord

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
)

// place is where in objects of a type a part can stand. A step is the number of a field of a struct; of a
// list it leads to the first item, and through a pointer to what it points at.
type place struct {
	object reflect.Type
	steps  []int
}

const apis = "k8s.io/kubernetes/pkg/apis/"

var places = sync.OnceValue(findPlaces)

// clean are objects that a part is put into where an empty one would be refused whatever the part is.
func clean(of reflect.Type) reflect.Value {
	object := reflect.New(of).Elem()
	switch one := object.Addr().Interface().(type) {
	case *core.Pod:
		one.Spec.RestartPolicy = core.RestartPolicyAlways
		one.Spec.Containers = []core.Container{{Name: "a", Image: "a"}}
	case *core.PersistentVolume:
		one.Spec.Capacity = core.ResourceList{core.ResourceStorage: resource.MustParse("1Gi")}
		one.Spec.AccessModes = []core.PersistentVolumeAccessMode{core.ReadWriteOnce}
	}
	return object
}

// around is a small object with a part where one of its type can stand; invalid where there is no place.
func around(part reflect.Value) reflect.Value {
	found, ok := places()[part.Type()]
	if !ok {
		return reflect.Value{}
	}
	object := clean(found.object)
	at := object
	for _, step := range found.steps {
		name(at)
		at = down(at, step)
	}
	at.Set(part)
	return object
}

// name gives what has no name one: a part is refused for what it is, not for what is around it.
func name(value reflect.Value) {
	if value.Kind() != reflect.Struct {
		return
	}
	if named := value.FieldByName("Name"); named.IsValid() && named.Kind() == reflect.String && named.Len() == 0 {
		named.SetString("a")
	}
}

func down(value reflect.Value, step int) reflect.Value {
	switch value.Kind() {
	case reflect.Struct:
		return value.Field(step)
	case reflect.Slice:
		if value.Len() == 0 {
			value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		}
		return value.Index(0)
	default: // a pointer
		if value.IsNil() {
			value.Set(reflect.New(value.Type().Elem()))
		}
		return value.Elem()
	}
}

// findPlaces is where each type of a part stands nearest to the top of an object. Of places equally near, the
// first is taken, and before others what a clean object has.
func findPlaces() map[reflect.Type]place {
	type open struct {
		of    reflect.Type
		place place
		clean reflect.Value
	}
	var next []open
	for _, object := range objects() {
		next = append(next, open{object, place{object, nil}, clean(object)})
	}
	found := map[reflect.Type]place{}
	for len(next) > 0 {
		one := next[0]
		next = next[1:]
		if _, ok := found[one.of]; ok {
			continue
		}
		if len(one.place.steps) > 0 && one.of.Kind() != reflect.Pointer {
			found[one.of] = one.place
		}
		var below []open
		for _, step := range stepsOf(one.of) {
			of, value := one.of, one.clean
			switch of.Kind() {
			case reflect.Struct:
				of = of.Field(step).Type
				if value.IsValid() {
					value = value.Field(step)
				}
			default:
				of = of.Elem()
				if value.IsValid() && value.Kind() == reflect.Slice && value.Len() > 0 {
					value = value.Index(0)
				} else {
					value = reflect.Value{}
				}
			}
			if isOurs(of) {
				steps := append(slices.Clone(one.place.steps), step)
				below = append(below, open{of, place{one.place.object, steps}, value})
			}
		}
		slices.SortStableFunc(below, func(a, b open) int { return cmp.Compare(emptiness(a.clean), emptiness(b.clean)) })
		next = append(next, below...)
	}
	return found
}

func emptiness(value reflect.Value) int {
	if value.IsValid() && !value.IsZero() {
		return 0
	}
	return 1
}

// objects are the internal types of every kind, those of the group without a name first.
func objects() (found []reflect.Type) {
	types := map[string]reflect.Type{}
	for kind, of := range legacyscheme.Scheme.AllKnownTypes() {
		if kind.Version == runtime.APIVersionInternal && strings.HasPrefix(of.PkgPath(), apis) {
			if _, named := of.FieldByName("ObjectMeta"); named {
				types[kind.Group+" "+kind.Kind] = of
			}
		}
	}
	names := make([]string, 0, len(types))
	for name := range types {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		found = append(found, types[name])
	}
	return found
}

func stepsOf(of reflect.Type) (steps []int) {
	switch of.Kind() {
	case reflect.Struct:
		for index := range of.NumField() {
			if of.Field(index).Name != "Status" { // a server drops it at a create
				steps = append(steps, index)
			}
		}
	case reflect.Slice, reflect.Pointer:
		steps = []int{0}
	}
	return steps
}

// isOurs tells types of Kubernetes' own, lists of them, and pointers to them.
func isOurs(of reflect.Type) bool {
	for of.Name() == "" && (of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer) {
		of = of.Elem()
	}
	return strings.HasPrefix(of.PkgPath(), apis)
}
