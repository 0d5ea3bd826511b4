package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-logr/logr"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// operator is what one project runs in a cluster; each field may be left out.
type operator struct {
	scheme []func(*runtime.Scheme) error
	// setup registers its webhooks, as its own main does.
	setup func(manager.Manager) error
	// before is told of each object that a webhook is about to be asked about.
	before func(kind schema.GroupVersionKind, text []byte)
	// others are filled in here, of kinds that somebody else defines and its webhooks judge too.
	others map[schema.GroupVersionKind]func(text []byte) []byte
	// controllers say what its controllers check before they make anything of an object.
	controllers map[schema.GroupVersionKind]func(text []byte) error
}

// nowhere is a manager without a cluster, which keeps the webhooks that are registered.
type nowhere struct {
	manager.Manager
	scheme *runtime.Scheme
	client *late
	server *kept
}

// every is a mapper of a cluster that has every kind.
type every struct{ meta.RESTMapper }

func (every) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	known := kind.WithVersion(versions[0])
	resource, _ := meta.UnsafeGuessKindToResource(known)
	return &meta.RESTMapping{Resource: resource, GroupVersionKind: known, Scope: meta.RESTScopeNamespace}, nil
}

// late is a client that is there when everything has been registered: its indexes come before it.
type late struct {
	client.Client
	builder *fake.ClientBuilder
}

func (l *late) IndexField(_ context.Context, object client.Object, field string, values client.IndexerFunc) error {
	l.builder.WithIndex(object, field, values)
	return nil
}

func (m nowhere) GetScheme() *runtime.Scheme           { return m.scheme }
func (m nowhere) GetClient() client.Client             { return m.client }
func (m nowhere) GetAPIReader() client.Reader          { return m.client }
func (m nowhere) GetFieldIndexer() client.FieldIndexer { return m.client }
func (m nowhere) GetRESTMapper() meta.RESTMapper       { return every{} }
func (m nowhere) GetConfig() *rest.Config              { return &rest.Config{} }
func (m nowhere) GetLogger() logr.Logger               { return logr.Discard() }
func (m nowhere) GetWebhookServer() webhook.Server     { return m.server }

type kept struct {
	webhook.Server
	hooks map[string]*admission.Webhook
}

func (k *kept) WebhookMux() *http.ServeMux { return nil }
func (k *kept) Register(path string, hook http.Handler) {
	if one, ok := hook.(*admission.Webhook); ok {
		k.hooks[path] = one
	}
}

func registered(one operator) asked {
	scheme := runtime.NewScheme()
	for _, add := range one.scheme {
		check(add(scheme))
	}
	server := &kept{hooks: map[string]*admission.Webhook{}}
	if one.setup != nil {
		later := &late{builder: fake.NewClientBuilder().WithScheme(scheme)}
		check(one.setup(nowhere{scheme: scheme, client: later, server: server}))
		later.Client = later.builder.Build()
	}
	return asked{server.hooks, scheme}
}

// create does to an object what a create goes through, in this order.
func create(known definitions, operator asked, text []byte) (verdict Verdict) {
	var head metav1.PartialObjectMetadata
	if err := json.Unmarshal(text, &head); err != nil {
		return refusal("schema", Error{"", "Undecodable", err.Error()})
	}
	kind := head.GroupVersionKind()
	definition, ok := known[kind]
	if fill, judged := running.others[kind]; !ok && judged {
		return operator.ofAnother(kind, head, fill(text))
	}
	if !ok {
		return refusal("schema", Error{"apiVersion", "NotServed", fmt.Sprintf("no matches for %s", kind)})
	}
	object, found := definition.decode(text)
	if found != nil {
		return refusal("schema", found...)
	}
	text, err := json.Marshal(object)
	check(err)
	text, refused := operator.filled(kind, head, text)
	if refused != nil {
		return refusal("webhook", refused...)
	}
	var filled map[string]any
	check(utiljson.Unmarshal(text, &filled))
	definition.fill(filled)
	if found := definition.judge(filled); found != nil {
		return refusal("schema", found...)
	}
	text, err = json.Marshal(filled)
	check(err)
	if running.before != nil {
		running.before(kind, text)
	}
	answer := operator.judged(kind, head, text)
	if answer.Allowed {
		verdict = controlled(kind, text)
	} else {
		verdict = refusal("webhook", said(answer)...)
	}
	verdict.Warnings = append(verdict.Warnings, answer.Warnings...)
	verdict.Object = text
	return verdict
}

// ofAnother asks the webhooks about an object of a kind that somebody else defines, and has judged.
func (a asked) ofAnother(kind schema.GroupVersionKind, head metav1.PartialObjectMetadata, text []byte) Verdict {
	text, refused := a.filled(kind, head, text)
	if refused != nil {
		return refusal("webhook", refused...)
	}
	if running.before != nil {
		running.before(kind, text)
	}
	if answer := a.judged(kind, head, text); !answer.Allowed {
		return refusal("webhook", said(answer)...)
	}
	return refusal("")
}

// filled is an object as the webhooks write it that fill in.
func (a asked) filled(kind schema.GroupVersionKind, head metav1.PartialObjectMetadata, text []byte) ([]byte, []Error) {
	theirs := a.version(kind)
	hook := a.hooks["/mutate-"+path(theirs)]
	if hook == nil {
		return text, nil
	}
	text, err := a.converted(text, kind, theirs)
	if err != nil {
		return nil, []Error{{"", "Refused", err.Error()}}
	}
	answer := ask(hook, theirs, head, text)
	if !answer.Allowed {
		return nil, said(answer)
	}
	if text, err = patched(text, answer); err == nil {
		text, err = a.converted(text, theirs, kind)
	}
	if err != nil {
		return nil, []Error{{"", "Refused", err.Error()}}
	}
	return text, nil
}

// judged is what the webhooks say of an object that refuse.
func (a asked) judged(kind schema.GroupVersionKind, head metav1.PartialObjectMetadata, text []byte) admission.Response {
	theirs := a.version(kind)
	hook := a.hooks["/validate-"+path(theirs)]
	if hook == nil {
		return admission.Allowed("")
	}
	text, err := a.converted(text, kind, theirs)
	if err != nil {
		return admission.Denied(err.Error())
	}
	return ask(hook, theirs, head, text)
}

// controlled is what the controllers refuse of an object that is stored.
func controlled(kind schema.GroupVersionKind, text []byte) (verdict Verdict) {
	defer func() {
		if failed := recover(); failed != nil {
			verdict = refusal("controller", Error{"", "Refused", fmt.Sprint("panic: ", failed)})
		}
	}()
	if judge, ok := running.controllers[kind]; ok {
		if err := judge(text); err != nil {
			return refusal("controller", told(err)...)
		}
	}
	return refusal("")
}

func path(kind schema.GroupVersionKind) string {
	return strings.ReplaceAll(kind.Group, ".", "-") + "-" + kind.Version + "-" + strings.ToLower(kind.Kind)
}

func ask(hook *admission.Webhook, kind schema.GroupVersionKind, head metav1.PartialObjectMetadata, text []byte) admission.Response {
	dry := true // an operator then leaves out most of what it would look up
	return hook.Handle(context.Background(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		UID: "judged", Kind: metav1.GroupVersionKind(kind), Name: head.Name, Namespace: head.Namespace,
		Operation: admissionv1.Create, Object: runtime.RawExtension{Raw: text}, DryRun: &dry,
	}})
}

func said(answer admission.Response) []Error {
	if details := answer.Result.Details; details != nil && len(details.Causes) > 0 {
		return causes(details.Causes)
	}
	return parsed(answer.Result.Message)
}

func patched(text []byte, answer admission.Response) ([]byte, error) {
	if len(answer.Patch) == 0 {
		return text, nil
	}
	patch, err := jsonpatch.DecodePatch(answer.Patch)
	if err != nil {
		return nil, err
	}
	return patch.Apply(text)
}
