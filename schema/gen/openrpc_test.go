package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/approvald/approvald/wire"
)

type openrpc struct {
	OpenRPC    string `json:"openrpc"`
	Info       struct{ Title, Version string }
	Methods    []openrpcMethod
	Components struct{ Errors map[string]map[string]any }
	Asked      []openrpcMethod `json:"x-serverRequests"` //nolint:tagliatelle // extensions begin so
	Told       []openrpcMethod `json:"x-notifications"`  //nolint:tagliatelle // extensions begin so
}

type openrpcMethod struct {
	Name, ParamStructure string
	Params               []struct {
		Name     string
		Required bool
		Schema   any
	}
	Result *struct {
		Name   string
		Schema any
	}
	Errors []struct {
		Ref string `json:"$ref"`
	}
	Roles []wire.Role `json:"x-roles"` //nolint:tagliatelle // extensions begin so
}

// The rules are those of OpenRPC 1.3: names are unique, params are named and those that are required
// come with that word, a method without a result is a notification, references lead somewhere.
func TestOpenRPCDescribesEveryMethod(t *testing.T) {
	text := made(t)[openrpcFile]
	var doc openrpc
	var whole map[string]any
	for _, v := range []any{&doc, &whole} {
		if err := json.Unmarshal(text, v); err != nil {
			t.Fatal(err)
		}
	}
	if doc.OpenRPC != openrpcVersion || doc.Info.Title == "" || doc.Info.Version == "" {
		t.Errorf("the head is %s %+v", doc.OpenRPC, doc.Info)
	}
	for _, m := range wire.Methods {
		list := doc.Methods
		switch m.Kind {
		case wire.ServerRequestMethod:
			list = doc.Asked
		case wire.NotificationMethod:
			list = doc.Told
		case wire.CommandMethod, wire.QueryMethod, wire.ClientNotificationMethod:
		}
		at := slices.IndexFunc(list, func(o openrpcMethod) bool { return o.Name == m.Name })
		if at < 0 {
			t.Errorf("%s, a %s, is not described", m.Name, m.Kind)
			continue
		}
		o := list[at]
		if slices.ContainsFunc(list[at+1:], func(o openrpcMethod) bool { return o.Name == m.Name }) {
			t.Errorf("%s is described twice", m.Name)
		}
		if o.ParamStructure != "by-name" || !slices.Equal(o.Roles, m.Roles) || (o.Result != nil) != (m.Result != nil) {
			t.Errorf("%s is %+v", m.Name, o)
		}
		for _, p := range o.Params {
			if p.Name == "" || p.Schema == nil {
				t.Errorf("%s has a param %+v", m.Name, p)
			}
		}
		if m.Kind == wire.CommandMethod && !slices.ContainsFunc(o.Errors, func(e struct {
			Ref string `json:"$ref"`
		},
		) bool {
			return e.Ref == "#/components/errors/CommandRejected"
		}) {
			t.Errorf("%s is a command, and cannot be refused as one", m.Name)
		}
	}
	for name, e := range doc.Components.Errors {
		if len(e) != 3 || e["code"] == nil || e["message"] == nil || e["data"] == nil {
			t.Errorf("%s is %v: an error has code, message and data, and no extensions", name, e)
		}
	}
	eachRef(whole, func(ref string) {
		at := any(whole)
		for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			object, ok := at.(map[string]any)
			if !ok || object[name] == nil {
				t.Errorf("%s leads nowhere", ref)
				return
			}
			at = object[name]
		}
	})
}

// eachRef calls fn for every reference in a document.
func eachRef(v any, fn func(ref string)) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			fn(ref)
		}
		for _, v := range v {
			eachRef(v, fn)
		}
	case []any:
		for _, v := range v {
			eachRef(v, fn)
		}
	}
}
