package approval_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/approvald/approvald/internal/approval"
)

// The ids of seed 003.
const (
	seedSession  = "0198f0aa-1111-7000-8000-0000000000aa"
	seedApproval = "0198f0ac-7777-7000-8000-0000000000e1"
)

// mustID is the id that s spells.
func mustID(t rapid.TB, s string) approval.ID {
	t.Helper()
	id, err := approval.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// anyID draws an identity, the zero one included.
func anyID() *rapid.Generator[approval.ID] {
	return rapid.Custom(func(t *rapid.T) approval.ID {
		var id approval.ID
		copy(id[:], rapid.SliceOfN(rapid.Byte(), 0, 16).Draw(t, "bytes"))
		return id
	})
}

func TestParseIDAcceptsTheLowerCaseFormOfAnyVersion(t *testing.T) {
	for _, s := range []string{
		seedSession,
		"6f1d2f0e-6b1c-5f0a-9a53-0b6a6c0e7a11",
		"00000000-0000-0000-0000-000000000001",
		"ffffffff-ffff-ffff-ffff-ffffffffffff",
	} {
		t.Run(s, func(t *testing.T) {
			id, err := approval.ParseID(s)
			if err != nil {
				t.Fatal(err)
			}
			if got := id.String(); got != s {
				t.Errorf("String() = %q, want %q", got, s)
			}
		})
	}
}

func TestParseIDRefusesEveryOtherSpelling(t *testing.T) {
	for name, s := range map[string]string{
		"empty":                      "",
		"upper case":                 strings.ToUpper(seedSession),
		"one upper-case digit":       "0198f0aA-1111-7000-8000-0000000000aa",
		"braces":                     "{" + seedSession + "}",
		"braces of the right length": "{198f0aa-1111-7000-8000-0000000000a}",
		"URN":                        "urn:uuid:" + seedSession,
		"no hyphens":                 strings.ReplaceAll(seedSession, "-", ""),
		"a hyphen moved":             "0198f0a-a1111-7000-8000-0000000000aa",
		"a hyphen for a digit":       "0198f0aa-1111-7000-8000-00000000-0aa",
		"underscores":                strings.ReplaceAll(seedSession, "-", "_"),
		"a letter beyond f":          "0198f0ag-1111-7000-8000-0000000000aa",
		"white space in front":       " " + seedSession,
		"a newline behind":           seedSession + "\n",
		"a digit too few":            seedSession[:35],
		"a digit too many":           seedSession + "0",
		"full-width digits":          "０198f0aa-1111-7000-8000-0000000000",
		"an upper-case ULID":         "01HX5M2E0VZB8Q9T6K3R7W1Y4C",
		"the nil UUID":               "00000000-0000-0000-0000-000000000000",
	} {
		t.Run(name, func(t *testing.T) {
			id, err := approval.ParseID(s)
			if !errors.Is(err, approval.ErrID) {
				t.Errorf("ParseID(%q) = %v, %v; want an error that is ErrID", s, id, err)
			}
			if !id.IsZero() {
				t.Errorf("ParseID(%q) gave %v beside its error", s, id)
			}
		})
	}
}

func TestAnErrorOfParseIDQuotesNoMoreThanTheBeginningOfHostileText(t *testing.T) {
	_, err := approval.ParseID(strings.Repeat("x\n", 1<<20))
	if err == nil || len(err.Error()) > 256 || strings.Contains(err.Error(), "\n") {
		t.Errorf("error of %d bytes", len(err.Error()))
	}
}

func TestEveryIDSurvivesItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := anyID().Draw(t, "id")
		text, err := id.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back approval.ID
		if err := back.UnmarshalText(text); err != nil {
			t.Fatal(err)
		}
		if back != id || string(text) != id.String() {
			t.Fatalf("%x became %q became %x", [16]byte(id), text, [16]byte(back))
		}
	})
}

func TestUnmarshalTextLeavesTheIDAloneWhenItRefuses(t *testing.T) {
	id := mustID(t, seedSession)
	if err := id.UnmarshalText([]byte("nonsense")); err == nil {
		t.Fatal("nonsense was read")
	}
	if id != mustID(t, seedSession) {
		t.Errorf("id is now %v", id)
	}
}
