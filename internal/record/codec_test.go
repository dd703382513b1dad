package record

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
)

func TestDecodeGivesBackWhatEncodeWasGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Kind{
			KindSessionStarted, KindModeSet, KindApprovalOpened, KindStageSettled, KindApprovalSettled,
			KindGrantAdded, KindSessionClosed, KindRecovered, KindCommandSettled, KindGrantRevoked, KindPolicyPersisted,
			KindApprovalConsumed, KindPermitVoided,
		}).Draw(t, "kind")
		body := kinds[kind].empty()
		fill(t, kind.String(), reflect.ValueOf(body).Elem(), "")
		h := anyHeader(t)
		var chain Chain
		copy(chain[:], rapid.SliceOfN(rapid.Byte(), 0, 16).Draw(t, "chain"))

		value, err := Encode(h, body, chain)
		if err != nil {
			t.Fatal(err)
		}
		h.Version, h.Kind, h.Chain = kinds[kind].version, kind, chain
		got, err := Decode(9, value)
		if err != nil {
			t.Fatal(err)
		}
		want := Record{Seq: 9, Header: h, Body: body}
		if diff := cmp.Diff(want, got, cmp.Comparer(sameCommand)); diff != "" {
			t.Fatalf("record (-want +got):\n%s", diff)
		}
	})
}

func TestBodiesAreNotEscapedForHTML(t *testing.T) {
	value, err := Encode(Header{}, &SessionClosed{Reason: "a && b <c>"}, Chain{})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"reason":"a && b <c>","by":{}}`; string(value[HeaderSize:]) != want {
		t.Errorf("body %s, want %s", value[HeaderSize:], want)
	}
}

func TestEveryFlipInARecordIsFound(t *testing.T) {
	for _, s := range samples {
		t.Run(s.body.Kind().String()+" "+s.name, func(t *testing.T) {
			value := s.encoded(t)
			for i := range value {
				for _, mask := range []byte{0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff, 0x5a} {
					value[i] ^= mask
					if r, err := Decode(9, value); !errors.Is(err, ErrCRC) {
						t.Errorf("byte %d flipped by %02x: %+v, %v", i, mask, r, err)
					}
					value[i] ^= mask
				}
			}
		})
	}
}

func TestACutOrLengthenedRecordIsFound(t *testing.T) {
	for _, s := range samples {
		t.Run(s.body.Kind().String()+" "+s.name, func(t *testing.T) {
			value := s.encoded(t)
			for n := HeaderSize; n < len(value); n++ {
				if _, err := Decode(9, value[:n]); !errors.Is(err, ErrCRC) {
					t.Errorf("cut to %d of %d bytes: %v", n, len(value), err)
				}
			}
			if _, err := Decode(9, append(value, ' ')); !errors.Is(err, ErrCRC) {
				t.Errorf("a blank behind it: %v", err)
			}
		})
	}
}

// What a reader cannot understand stops it, with the sequence and the kind.
func TestDecodeRefusesWhatItDoesNotUnderstand(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(value []byte) []byte
		is     error // nil: any
		says   []string
	}{
		{"a kind of the future", func(v []byte) []byte { v[1] = 200; return v }, ErrKind, []string{"record 9", "kind 200"}},
		{"kind 0", func(v []byte) []byte { v[1] = 0; return v }, ErrKind, []string{"record 9", "kind 0"}},
		{"a version of the future", func(v []byte) []byte { v[0] = 2; return v }, ErrVersion, []string{"record 9", "sessionClosed", "version 2"}},
		{"version 0", func(v []byte) []byte { v[0] = 0; return v }, nil, []string{"record 9", "sessionClosed", "no upcaster from version 0"}},
		{"no body", func(v []byte) []byte { return v[:HeaderSize] }, nil, []string{"record 9", "sessionClosed", "body"}},
		{"a body that is no JSON", func(v []byte) []byte { return append(v[:HeaderSize], `{"reason":`...) }, nil, []string{"record 9", "sessionClosed"}},
		{"a body of another shape", func(v []byte) []byte { return append(v[:HeaderSize], `{"reason":1}`...) }, nil, []string{"record 9", "sessionClosed"}},
		{"two bodies", func(v []byte) []byte { return append(v, `{}`...) }, nil, []string{"record 9", "sessionClosed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			value, err := Encode(Header{Session: seedSession}, &SessionClosed{Reason: "closed"}, Chain{})
			if err != nil {
				t.Fatal(err)
			}
			value = signed(c.change(value))
			r, err := Decode(9, value)
			if err == nil {
				t.Fatalf("it was read as %+v", r)
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

func TestAMemberOfTheFutureIsIgnored(t *testing.T) {
	value, err := Encode(Header{}, &SessionClosed{Reason: "closed"}, Chain{})
	if err != nil {
		t.Fatal(err)
	}
	value = signed(append(value[:HeaderSize], `{"reason":"closed","by":{},"later":[1]}`...))
	r, err := Decode(1, value)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Body(&SessionClosed{Reason: "closed"}), r.Body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

// stranger is a body of a kind that the table does not have.
type stranger struct{}

func (stranger) Kind() Kind       { return 200 }
func (stranger) command() *Intake { return nil }

func TestEncodeRefusesAKindWithoutARow(t *testing.T) {
	if _, err := Encode(Header{}, stranger{}, Chain{}); !errors.Is(err, ErrKind) {
		t.Errorf("Encode = %v", err)
	}
}

func TestEncodeRefusesABodyThatIsNoJSON(t *testing.T) {
	body := &ApprovalOpened{Subject: json.RawMessage(`{`)}
	if _, err := Encode(Header{}, body, Chain{}); err == nil || !strings.Contains(err.Error(), "approvalOpened") {
		t.Errorf("Encode = %v", err)
	}
}

// signed gives value the checksum that its other bytes ask for.
func signed(value []byte) []byte {
	binary.BigEndian.PutUint32(value[offsetCRC:], checksum(value))
	return value
}

// sameCommand lets cmp look into command ids.
func sameCommand(a, b approval.CommandID) bool { return a == b }

func anyHeader(t *rapid.T) Header {
	id := func(label string) (id approval.ID) {
		copy(id[:], rapid.SliceOfN(rapid.Byte(), 0, 16).Draw(t, label))
		return id
	}
	return Header{
		Session: id("session"), Approval: id("approval"), Prev: rapid.Uint64().Draw(t, "prev"),
		Command: approval.CommandIDFromBits(id("command"), rapid.Bool().Draw(t, "ulid")),
		At:      time.UnixMilli(rapid.Int64Range(-1e15, 1e15).Draw(t, "at")).UTC(),
	}
}

// fill draws a value for every member of a body, so that a member that is
// added tomorrow is covered as well. Members that are left out when they are
// empty are sometimes empty.
func fill(t *rapid.T, label string, v reflect.Value, tag reflect.StructTag) {
	optional := strings.Contains(tag.Get("json"), "omitempty")
	if optional && rapid.Bool().Draw(t, label+" left out") {
		return
	}
	switch v.Interface().(type) {
	case json.RawMessage:
		v.SetBytes([]byte(rapid.SampledFrom([]string{
			`null`, `[]`, `{"b":1.50,"a":"<&>"}`, `"\u003c"`, `[{"choiceId":"abort"}]`,
		}).Draw(t, label)))
		return
	case approval.ID:
		var id approval.ID
		copy(id[:], rapid.SliceOfN(rapid.ByteMin(1), 16, 16).Draw(t, label))
		v.Set(reflect.ValueOf(id))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.String().Draw(t, label))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, label))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, label))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, label))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, label, v.Elem(), "")
	case reflect.Slice:
		n := rapid.IntRange(1, 3).Draw(t, label+" members")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(t, label, v.Index(i), "")
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			fill(t, f.Name, v.Field(i), f.Tag)
		}
	default:
		t.Fatalf("fill knows no %s (%s)", v.Type(), label)
	}
}

// The words must not differ from process to process, as those of a quick decoder do.
func TestABodyThatCannotBeDecodedIsToldInTheSameWords(t *testing.T) {
	for body, want := range map[string]string{
		`[]`:                      "json: cannot unmarshal array into Go value of type record.ModeSet",
		`{"mode":"x","mode":1}`:   "json: cannot unmarshal number into Go struct field ModeSet.mode of type string",
		`{"mode":"x","mode":"y"}`: "it has a name twice, or text that is no UTF-8",
		`{`:                       "unexpected end of JSON input",
	} {
		h := Header{Kind: KindModeSet, Version: 1}
		_, err := DecodeBody(9, h, append(make([]byte, HeaderSize), body...))
		if want = "record 9 (modeSet): decode its body: " + want; err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", body, err, want)
		}
	}
}
