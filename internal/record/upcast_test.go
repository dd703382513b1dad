package record

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// The chain is exercised with one of its own: no kind has a second version.
func TestUpcastersRaiseABodyStepByStep(t *testing.T) {
	broken := errors.New("no reason in it")
	step := func(to string) upcaster {
		return func(body []byte) ([]byte, error) { return append(bytes.Clone(body), to...), nil }
	}
	chain := upcasterChain{
		{KindSessionClosed, 1}: step(" 2"),
		{KindSessionClosed, 2}: step(" 3"),
		{KindModeSet, 1}:       step(" 2"), // and none from 2
		{KindRecovered, 1}:     step(" 2"),
		{KindRecovered, 2}:     func([]byte) ([]byte, error) { return nil, broken },
	}
	for _, c := range []struct {
		name             string
		kind             Kind
		version, current uint8
		want             string
		is               error    // nil: any
		says             []string // nil: no error
	}{
		{"nothing to do", KindSessionClosed, 3, 3, "body", nil, nil},
		{"one step", KindSessionClosed, 2, 3, "body 3", nil, nil},
		{"two steps, in order", KindSessionClosed, 1, 3, "body 2 3", nil, nil},
		{"no further than the current version", KindSessionClosed, 1, 2, "body 2", nil, nil},
		{"a kind without steps at its first version", KindGrantAdded, 1, 1, "body", nil, nil},
		{"a missing step", KindModeSet, 1, 3, "", nil, []string{"modeSet", "from version 2"}},
		{"a missing first step", KindGrantAdded, 1, 2, "", nil, []string{"grantAdded", "from version 1"}},
		{"a step that fails", KindRecovered, 1, 3, "", broken, []string{"recovered", "from version 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := []byte("body")
			got, err := chain.raise(c.kind, c.version, c.current, before)
			if string(got) != c.want {
				t.Errorf("raised to %q, want %q", got, c.want)
			}
			if string(before) != "body" {
				t.Errorf("the body it was given is now %q", before)
			}
			if c.says == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				t.Fatal("no error")
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
			for _, part := range c.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}

func TestEveryKindCanBeRaisedFromItsFirstVersion(t *testing.T) {
	for kind, spec := range kinds {
		for version := uint8(1); version < spec.version; version++ {
			if _, ok := upcasters[from{kind, version}]; !ok {
				t.Errorf("%s has no upcaster from version %d", kind, version)
			}
		}
	}
}
