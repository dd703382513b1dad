package decide

import (
	"testing"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/wire"
)

// What an agent may put into a preview is no choice: a menu is searched for the bytes of
// those that everybody takes.
func TestATextThatLooksLikeAChoiceIsNotOne(t *testing.T) {
	tool := approval.Tool{ToolName: `x"},` + string(publishedAllowOnce) + "," + string(publishedAbort) + `,{"choiceId":"`}
	published := encode(menu(tool, policy.Menu{Session: true, OnlySession: true}, false))
	if choice, ok := selected(published, wire.ChoiceAllowOnce); ok {
		t.Errorf("allow_once is taken from a preview: %+v of %s", choice, published)
	}
	for _, id := range []wire.ChoiceID{wire.ChoiceAllowSession, wire.ChoiceAbort} {
		if choice, ok := selected(published, id); !ok || choice.ChoiceID != id {
			t.Errorf("%s is not found: %+v", id, choice)
		}
	}
	if choice, ok := selected(encode([]wire.Choice{allowOnce}), wire.ChoiceAbort); ok {
		t.Errorf("abort is found where it is not: %+v", choice)
	}
}

// What is found without decoding a menu is what decoding it finds.
func TestTheChoicesOfEveryMenuAreFoundAsPublished(t *testing.T) {
	published := encode(menu(approval.File{Path: "/a"}, policy.Menu{Session: true}, false))
	for _, want := range []wire.Choice{allowOnce, abort} {
		if choice, ok := selected(published, want.ChoiceID); !ok || choice != want {
			t.Errorf("%s: %+v, %t", want.ChoiceID, choice, ok)
		}
	}
}
