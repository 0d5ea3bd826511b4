package main

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Verdict is what is said to the create of one object. It is taken if there are no errors; By is who
// refuses it: "schema", "webhook", or "controller", which makes nothing of what has been stored. Object is what
// was judged: the object with all that is filled in.
type Verdict struct {
	Errors   []Error         `json:"errors"`
	Warnings []string        `json:"warnings"`
	By       string          `json:"by"`
	Object   json.RawMessage `json:"object,omitempty"`
}

// Error is one thing that is refused. Type is a cause of a Status, or Refused for what names no field.
type Error struct {
	Field   string `json:"field"`
	Type    string `json:"type"`
	Message string `json:"message"`
}

func refusal(by string, found ...Error) Verdict {
	return Verdict{Errors: append([]Error{}, found...), Warnings: []string{}, By: by}
}

// told is what an error of a validation says, with one error for each field that it names.
func told(err error) []Error {
	var status apierrors.APIStatus
	var one *field.Error
	var several utilerrors.Aggregate
	switch {
	case errors.As(err, &status) && status.Status().Details != nil && len(status.Status().Details.Causes) > 0:
		return causes(status.Status().Details.Causes)
	case errors.As(err, &one):
		return []Error{{one.Field, string(one.Type), one.ErrorBody()}}
	case errors.As(err, &several):
		var found []Error
		for _, each := range several.Errors() {
			found = append(found, told(each)...)
		}
		return found
	}
	return parsed(err.Error())
}

func causes(all []metav1.StatusCause) []Error {
	var found []Error
	for _, cause := range all {
		place := strings.TrimPrefix(cause.Field, "<nil>")
		found = append(found, Error{place, string(cause.Type), cause.Message})
	}
	return found
}

var types = []field.ErrorType{
	field.ErrorTypeDuplicate, field.ErrorTypeForbidden, field.ErrorTypeInternal, field.ErrorTypeInvalid,
	field.ErrorTypeNotFound, field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong,
	field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid,
}
var beginnings = func() *regexp.Regexp {
	var names []string
	for _, one := range types {
		names = append(names, regexp.QuoteMeta(one.String()))
	}
	return regexp.MustCompile(`(?:^\[?|, )([A-Za-z_][^\s:,]*): (` + strings.Join(names, "|") + `)(?::|\b)`)
}()

// parsed is what a webhook says that flattens its errors into one text.
func parsed(text string) []Error {
	starts := beginnings.FindAllStringSubmatchIndex(text, -1)
	if starts == nil {
		return []Error{{"", "Refused", text}}
	}
	var found []Error
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		name := text[at[4]:at[5]]
		which := slices.IndexFunc(types, func(one field.ErrorType) bool { return one.String() == name })
		found = append(found, Error{text[at[2]:at[3]], string(types[which]), strings.TrimSuffix(text[at[4]:end], "]")})
	}
	return found
}
