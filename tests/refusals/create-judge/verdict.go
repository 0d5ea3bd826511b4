package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/yaml"
)

// Verdict is what a server says to the create of one object. It takes it if there are no errors.
type Verdict struct {
	Errors   []Error  `json:"errors"`
	Warnings []string `json:"warnings"`
}

// Error is one thing that a server refuses. Type is a cause of a Status, or one of these: NotServed,
// Undecodable, UnknownField, DuplicateField, Refused for what names no field, Panic. Message is what
// kubectl shows behind the field; Detail is the message without its type and the value.
type Error struct {
	Field   string `json:"field"`
	Type    string `json:"type"`
	Message string `json:"message"`
	Detail  string `json:"detail"`
}

type judge struct {
	kinds     map[schema.GroupVersionKind]kind
	mediaType string
}

// create does to an object what the request handler does (endpoints/handlers/create.go).
func (j judge) create(text []byte) (verdict Verdict) {
	warnings := &recorder{}
	defer func() {
		if failed := recover(); failed != nil {
			verdict = refusal("Panic", "", fmt.Sprint(failed))
		}
		if verdict.Errors == nil {
			verdict.Errors = []Error{}
		}
		verdict.Warnings = append([]string{}, *warnings...)
	}()

	gvk, err := j.interpret(text)
	if err != nil {
		return refusal("Undecodable", "", err.Error())
	}
	kind, ok := j.kinds[*gvk]
	if !ok {
		return refusal("NotServed", "apiVersion", fmt.Sprintf("no matches for kind %q in version %q", gvk.Kind, gvk.GroupVersion()))
	}

	info, _ := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), j.mediaType)
	decoder := legacyscheme.Codecs.DecoderToVersion(info.StrictSerializer, schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal})
	object, _, err := decoder.Decode(text, gvk, kind.storage.New())
	if err != nil {
		return undecodable(err)
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return refusal("Undecodable", "", err.Error())
	}

	// kubectl sends it to the namespace that it names, or else to the one of its context.
	namespace := ""
	switch {
	case gvk.GroupKind() == schema.GroupKind{Kind: "Namespace"}:
		namespace = accessor.GetName()
	case kind.Namespaced:
		namespace = accessor.GetNamespace()
		if namespace == "" {
			namespace = metav1.NamespaceDefault
		}
	}
	ctx := request.WithNamespace(context.Background(), namespace)
	ctx = request.WithUser(ctx, &user.DefaultInfo{Name: "judge", Groups: []string{user.SystemPrivilegedGroup}})
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, Verb: "create", Namespace: namespace, APIGroup: gvk.Group,
		APIVersion: gvk.Version, Resource: kind.resource.Resource,
	})
	ctx = warning.WithWarningRecorder(ctx, warnings)
	if kind.deprecated != "" {
		warning.AddWarning(ctx, "", kind.deprecated)
	}

	rest.WipeObjectMetaSystemFields(accessor)
	accessor.SetManagedFields(nil) // the server keeps account itself, and drops what is no such account
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(rest.ExpectedNamespaceForResource(namespace, kind.resource), accessor); err != nil {
		return refusal("Refused", "", err.Error())
	}
	dedup(ctx, accessor)
	_, err = kind.storage.Create(ctx, object, rest.ValidateAllObjectFunc, &metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return invalid(err)
}

// dedup leaves out owners that are named twice, and warns, as the request handler does.
func dedup(ctx context.Context, object metav1.Object) {
	var kept []metav1.OwnerReference
	var twice []string
	for _, owner := range object.GetOwnerReferences() {
		if slices.ContainsFunc(kept, func(one metav1.OwnerReference) bool { return equality.Semantic.DeepEqual(one, owner) }) {
			twice = append(twice, string(owner.UID))
		} else {
			kept = append(kept, owner)
		}
	}
	if twice != nil {
		warning.AddWarning(ctx, "", fmt.Sprintf(handlers.DuplicateOwnerReferencesWarningFormat, strings.Join(twice, ", ")))
		object.SetOwnerReferences(kept)
	}
}

// interpret finds out what to decode, as a client does that looks for the address to send it to.
func (j judge) interpret(text []byte) (*schema.GroupVersionKind, error) {
	if j.mediaType == runtime.ContentTypeYAML {
		converted, err := yaml.YAMLToJSON(text)
		if err != nil {
			return nil, err
		}
		text = converted
	}
	return serializer.DefaultMetaFactory.Interpret(text)
}

// recorder keeps the warnings of one create.
type recorder []string

func (r *recorder) AddWarning(_, text string) { *r = append(*r, text) }

func refusal(typed, path, message string) Verdict {
	return Verdict{Errors: []Error{{path, typed, message, message}}}
}

var strict = regexp.MustCompile(`^(unknown|duplicate) field (".*")$`)
var mistyped = regexp.MustCompile(`Go struct field [^ .]*\.(\S+) of type`)

// undecodable is what a decoder says, with one error for each field that it names.
func undecodable(err error) (verdict Verdict) {
	failed, ok := runtime.AsStrictDecodingError(err)
	if !ok {
		path := ""
		if named := mistyped.FindStringSubmatch(err.Error()); named != nil {
			path = named[1]
		}
		return refusal("Undecodable", path, err.Error())
	}
	for _, one := range failed.Errors() {
		path, typed := "", "Undecodable"
		if named := strict.FindStringSubmatch(one.Error()); named != nil {
			path, _ = strconv.Unquote(named[2])
			typed = map[string]string{"unknown": "UnknownField", "duplicate": "DuplicateField"}[named[1]]
		}
		verdict.Errors = append(verdict.Errors, Error{path, typed, one.Error(), one.Error()})
	}
	return verdict
}

// invalid is what the storage says, with one error for each cause of the Status.
func invalid(err error) (verdict Verdict) {
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return verdict
	case !errors.As(err, &status) || status.Status().Details == nil || len(status.Status().Details.Causes) == 0:
		return refusal("Refused", "", err.Error())
	}
	for _, cause := range status.Status().Details.Causes {
		verdict.Errors = append(verdict.Errors, Error{cause.Field, string(cause.Type), cause.Message, detail(cause)})
	}
	return verdict
}

// tooShort is a type that the older minors do not know.
const tooShort field.ErrorType = "FieldValueTooShort"

// detail is the last part of what field.Error.ErrorBody makes: type, value if it has one, detail.
func detail(cause metav1.StatusCause) string {
	prefix := field.ErrorType(cause.Type).String()
	rest := strings.TrimPrefix(strings.TrimPrefix(cause.Message, prefix), ": ")
	switch field.ErrorType(cause.Type) {
	case field.ErrorTypeRequired, field.ErrorTypeForbidden, field.ErrorTypeTooLong, tooShort, field.ErrorTypeInternal:
		return rest
	}
	if quoted, err := strconv.QuotedPrefix(rest); err == nil {
		return strings.TrimPrefix(rest[len(quoted):], ": ")
	}
	decoder := json.NewDecoder(strings.NewReader(rest))
	var value any
	if err := decoder.Decode(&value); err == nil {
		return strings.TrimPrefix(rest[decoder.InputOffset():], ": ")
	}
	return rest
}
