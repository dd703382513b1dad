package approval_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
)

func TestParseCommandIDKeepsTheExactString(t *testing.T) {
	for name, s := range map[string]string{
		"UUID of version 7":           "018f6a2a-3333-7abc-8def-00000000d001",
		"UUID of version 5":           "536ac54b-7eba-5f7c-8dc4-d8facf042af9",
		"UUID of version 8":           "018f6a2a-3333-8abc-bdef-00000000d001",
		"every admitted variant: 8":   "018f6a2a-3333-7abc-8def-00000000d001",
		"every admitted variant: 9":   "018f6a2a-3333-7abc-9def-00000000d001",
		"every admitted variant: a":   "018f6a2a-3333-7abc-adef-00000000d001",
		"every admitted variant: b":   "018f6a2a-3333-7abc-bdef-00000000d001",
		"ULID":                        "01HX5M2E0VZB8Q9T6K3R7W1Y4C",
		"ULID of the last moment":     "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
		"ULID of zeros":               "00000000000000000000000000",
		"ULID that is a UUID's bits":  "01HXN2MCSKFAY8VVR000006M01",
		"ULID of digits and nothing":  "01234567890123456789012345",
		"UUID of version 7, all ones": "ffffffff-ffff-7fff-bfff-ffffffffffff",
	} {
		t.Run(name, func(t *testing.T) {
			id, err := approval.ParseCommandID(s)
			if err != nil {
				t.Fatal(err)
			}
			if got := id.String(); got != s {
				t.Errorf("String() = %q, want %q", got, s)
			}
			if id.IsZero() {
				t.Error("it is the command that is none")
			}
		})
	}
}

func TestParseCommandIDRefusesEverythingElse(t *testing.T) {
	for name, s := range map[string]string{
		"empty":                        "",
		"upper-case UUID":              "018F6A2A-3333-7ABC-8DEF-00000000D001",
		"UUID in braces":               "{018f6a2a-3333-7abc-8def-00000000d001}",
		"UUID without hyphens":         "018f6a2a33337abc8def00000000d001",
		"UUID of version 1":            "018f6a2a-3333-1abc-8def-00000000d001",
		"UUID of version 2":            "018f6a2a-3333-2abc-8def-00000000d001",
		"UUID of version 3":            "018f6a2a-3333-3abc-8def-00000000d001",
		"UUID of version 4":            "018f6a2a-3333-4abc-8def-00000000d001",
		"UUID of version 6":            "018f6a2a-3333-6abc-8def-00000000d001",
		"UUID of version 9":            "018f6a2a-3333-9abc-8def-00000000d001",
		"UUID of version 0":            "018f6a2a-3333-0abc-8def-00000000d001",
		"UUID of version f":            "018f6a2a-3333-fabc-8def-00000000d001",
		"nil UUID":                     "00000000-0000-0000-0000-000000000000",
		"variant of NCS":               "018f6a2a-3333-7abc-7def-00000000d001",
		"variant of Microsoft":         "018f6a2a-3333-7abc-cdef-00000000d001",
		"variant of the future":        "018f6a2a-3333-7abc-edef-00000000d001",
		"lower-case ULID":              "01hx5m2e0vzb8q9t6k3r7w1y4c",
		"ULID with one lower case":     "01HX5M2E0VZB8Q9T6K3R7W1Y4c",
		"ULID that overflows 128 bits": "8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
		"ULID with I":                  "01HX5M2E0VZB8Q9T6K3R7W1Y4I",
		"ULID with L":                  "01HX5M2E0VZB8Q9T6K3R7W1Y4L",
		"ULID with O":                  "01HX5M2E0VZB8Q9T6K3R7W1Y4O",
		"ULID with U":                  "01HX5M2E0VZB8Q9T6K3R7W1Y4U",
		"ULID with a hyphen":           "01HX5M2E0VZB8-9T6K3R7W1Y4C",
		"ULID a character short":       "01HX5M2E0VZB8Q9T6K3R7W1Y4",
		"ULID a character long":        "01HX5M2E0VZB8Q9T6K3R7W1Y4CA",
		"26 bytes that are no letters": strings.Repeat("é", 13),
		"a number":                     "17",
	} {
		t.Run(name, func(t *testing.T) {
			id, err := approval.ParseCommandID(s)
			if !errors.Is(err, approval.ErrCommandID) {
				t.Errorf("ParseCommandID(%q) = %v, %v; want an error that is ErrCommandID", s, id, err)
			}
			if !id.IsZero() {
				t.Errorf("ParseCommandID(%q) gave %v beside its error", s, id)
			}
		})
	}
}

func TestAUUIDAndAULIDOfTheSameBitsAreTwoCommands(t *testing.T) {
	asUUID, err := approval.ParseCommandID("018f6a2a-3333-7abc-8def-00000000d001")
	if err != nil {
		t.Fatal(err)
	}
	bits, _ := asUUID.Bits()
	asULID := approval.CommandIDFromBits(bits, true)
	if asULID == asUUID || asULID.String() == asUUID.String() {
		t.Errorf("%s and %s are one", asUUID, asULID)
	}
}

// The header of a record keeps the bits and the form, the ledger the whole: a
// command that came back as another one would be carried out twice.
func TestEveryCommandIDSurvivesItsBitsAndItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := anyCommandID().Draw(t, "id")
		if back := approval.CommandIDFromBits(id.Bits()); back != id {
			t.Fatalf("%q came back from its bits as %q", id, back)
		}
		parsed, err := approval.ParseCommandID(id.String())
		if err != nil || parsed != id {
			t.Fatalf("%q came back from its text as %q, %v", id, parsed, err)
		}
		text, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		var back approval.CommandID
		if err := json.Unmarshal(text, &back); err != nil || back != id {
			t.Fatalf("%s came back from JSON as %q, %v", text, back, err)
		}
	})
}

func TestNoCommandIsEmptyTextAndZeroBits(t *testing.T) {
	var none approval.CommandID
	if got := none.String(); got != "" {
		t.Errorf("String() = %q", got)
	}
	if back := approval.CommandIDFromBits(none.Bits()); !back.IsZero() {
		t.Errorf("it came back from its bits as %q", back)
	}
	back, err := approval.ParseCommandID("018f6a2a-3333-7abc-8def-00000000d001")
	if err != nil {
		t.Fatal(err)
	}
	if err := back.UnmarshalText(nil); err != nil || !back.IsZero() {
		t.Errorf("empty text was read as %q, %v", back, err)
	}
}

// anyCommandID draws a command id of an admitted form, small numbers included.
func anyCommandID() *rapid.Generator[approval.CommandID] {
	return rapid.Custom(func(t *rapid.T) approval.CommandID {
		var bits [16]byte
		copy(bits[:], rapid.SliceOfN(rapid.Byte(), 0, 16).Draw(t, "bytes"))
		isULID := rapid.Bool().Draw(t, "ulid")
		if !isULID {
			bits[6] = bits[6]&0x0f | rapid.SampledFrom([]byte{5, 7, 8}).Draw(t, "version")<<4
			bits[8] = bits[8]&0x3f | 0x80
		}
		return approval.CommandIDFromBits(bits, isULID)
	})
}
