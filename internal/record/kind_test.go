package record

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The numbers are on disk. A line of this table never changes.
func TestKindNumbersAreFixedForEver(t *testing.T) {
	want := map[int]string{
		1:  "sessionStarted",
		2:  "modeSet",
		3:  "approvalOpened",
		4:  "stageSettled",
		5:  "approvalSettled",
		6:  "grantAdded",
		7:  "sessionClosed",
		8:  "recovered",
		9:  "commandSettled",
		10: "grantRevoked",
		11: "policyPersisted",
		12: "approvalConsumed",
		13: "permitVoided",
		16: "catalogOpened",
		17: "catalogChanged",
		18: "catalogClosed",
		19: "turnEnded",
		20: "inputOpened",
		21: "inputEngaged",
		22: "inputSettled",
		23: "turnStarted",
	}
	got := map[int]string{}
	for kind := range kinds {
		got[int(kind)] = kind.String()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

func TestEveryKindConstantHasARowOfItsName(t *testing.T) {
	constants := 0
	for _, name := range kindConstants(t) {
		constants++
		row := strings.ToLower(name[:1]) + name[1:]
		found := false
		for _, spec := range kinds {
			found = found || spec.name == row
		}
		if !found {
			t.Errorf("Kind%s has no row named %s in the table of kinds", name, row)
		}
	}
	if constants != len(kinds) {
		t.Errorf("%d constants for %d rows", constants, len(kinds))
	}
}

func TestEveryRowDecodesIntoABodyOfItsKind(t *testing.T) {
	for kind, spec := range kinds {
		if got := spec.empty().Kind(); got != kind {
			t.Errorf("the row of %s makes a %s", kind, got)
		}
		if a, b := spec.empty(), spec.empty(); a == b && kind != KindRecovered {
			t.Errorf("the row of %s makes the same body twice", kind)
		}
		if spec.version == 0 {
			t.Errorf("%s has no version", kind)
		}
	}
}

func TestAnUnknownKindIsNamedByItsNumber(t *testing.T) {
	if got := Kind(200).String(); got != "kind 200" {
		t.Errorf("String() = %q", got)
	}
}

func TestTheLedgersEntryIsTheCommandOfTheBody(t *testing.T) {
	for _, s := range samples {
		t.Run(s.body.Kind().String()+" "+s.name, func(t *testing.T) {
			got := s.record().Intake()
			var want *Intake
			switch body := s.body.(type) {
			case *SessionStarted:
				want = body.Command
			case *ModeSet:
				want = body.Command
			case *ApprovalOpened:
				want = body.Command
			case *StageSettled:
				want = body.Command
			case *ApprovalSettled:
				want = body.Command
			case *SessionClosed:
				want = body.Command
			case *CommandSettled:
				want = body.Command
			case *GrantRevoked:
				want = body.Command
			case *ApprovalConsumed:
				want = body.Command
			case *CatalogOpened:
				want = body.Command
			case *CatalogChanged:
				want = body.Command
			case *CatalogClosed:
				want = body.Command
			case *TurnStarted:
				want = body.Command
			case *TurnEnded:
				want = body.Command
			case *InputOpened:
				want = body.Command
			case *InputSettled:
				want = body.Command
			}
			if got != want {
				t.Errorf("Intake() = %v, want %v", got, want)
			}
		})
	}
}

// kindConstants are the names of the constants of type Kind in kind.go,
// without their prefix.
func kindConstants(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "kind.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			values, ok := spec.(*ast.ValueSpec)
			if !ok {
				t.Fatalf("a constant that is a %T", spec)
			}
			for _, name := range values.Names {
				names = append(names, strings.TrimPrefix(name.Name, "Kind"))
			}
		}
	}
	return names
}
