package wire

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden is a value and the exact bytes that stand for it on the wire.
type golden struct {
	name  string
	value any
	json  string
}

// goldens holds a case for every params and result struct of the method table;
// TestEveryStructOfTheMethodTableHasAGolden says so.
var goldens = slices.Concat(handshakeGoldens, sessionGoldens, viewGoldens, reviewerGoldens, agentGoldens, consumeGoldens, batchGoldens, grantGoldens,
	catalogGoldens, turnGoldens, userInputGoldens)

func TestStructsEncodeToTheirGoldenBytes(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			got, err := Marshal(g.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(g.json, string(got)); diff != "" {
				t.Errorf("bytes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGoldenBytesSurviveDecodingAndEncoding(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			back := reflect.New(reflect.TypeOf(g.value))
			if err := json.Unmarshal([]byte(g.json), back.Interface()); err != nil {
				t.Fatal(err)
			}
			got, err := Marshal(back.Elem().Interface())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(g.json, string(got)); diff != "" {
				t.Errorf("bytes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryStructOfTheMethodTableHasAGolden(t *testing.T) {
	covered := map[reflect.Type]bool{}
	for _, g := range goldens {
		covered[reflect.TypeOf(g.value)] = true
	}
	for _, m := range Methods {
		for _, v := range []any{m.Params, m.Result} {
			if v != nil && !covered[reflect.TypeOf(v)] {
				t.Errorf("%s: no golden case for %T", m.Name, v)
			}
		}
	}
}

// The ids below are those of seed 003 where it names one.
const (
	seedSession  = "0198f0aa-1111-7000-8000-0000000000aa"
	seedCommand  = "018f6a2a-3333-7abc-8def-00000000d001"
	seedApproval = "0198f0ac-7777-7000-8000-0000000000e1"
)

// seedRange is the source range of record 7 of the seed's session.
var seedRange = SourceRange{
	Stream: Stream{Kind: StreamSession, ID: seedSession},
	First:  Position{ID: seedSession + ":7", Sequence: 7},
	Last:   Position{ID: seedSession + ":7", Sequence: 7},
}

const seedRangeJSON = `{"stream":{"kind":"session","id":"0198f0aa-1111-7000-8000-0000000000aa"},` +
	`"first":{"id":"0198f0aa-1111-7000-8000-0000000000aa:7","sequence":7},` +
	`"last":{"id":"0198f0aa-1111-7000-8000-0000000000aa:7","sequence":7}}`
