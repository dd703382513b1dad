package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

func TestErrorTableHasUniqueCodesNamesAndKinds(t *testing.T) {
	codes, names, kinds := map[int]bool{}, map[string]bool{}, map[ErrorKind]bool{}
	for _, e := range Errors {
		if codes[e.Code] || names[e.Name] || kinds[e.Kind] {
			t.Errorf("%d %s %s appears twice", e.Code, e.Name, e.Kind)
		}
		codes[e.Code], names[e.Name], kinds[e.Kind] = true, true, true
		if e.Meaning == "" {
			t.Errorf("%s has no meaning", e.Name)
		}
	}
}

// The rules are those of protocol §3 and §9 and of msp-facts §2.3.
func TestErrorTableSaysWhatIsRetryableAndWhatIsRecorded(t *testing.T) {
	retryable := map[int]bool{-32001: true, -32031: true, -32092: true, -32095: true}
	recorded := map[int]bool{-32030: true, -32052: true, -32053: true, -32091: true, -32093: true, -32094: true}
	for _, e := range Errors {
		if e.Retryable != retryable[e.Code] {
			t.Errorf("%d: retryable %v", e.Code, e.Retryable)
		}
		if e.Recorded != recorded[e.Code] {
			t.Errorf("%d: recorded %v", e.Code, e.Recorded)
		}
	}
}

func TestErrorTableHoldsEveryCodeOfTheProtocol(t *testing.T) {
	for _, code := range []int{
		-32700, -32600, -32601, -32602, -32603, -32001, -32002, -32010, -32011, -32020, -32021, -32024, -32030, -32031, -32040,
		-32050, -32051, -32052, -32053, -32054, -32055, -32056, -32057, -32090, -32091, -32092, -32093, -32094, -32095,
	} {
		if _, ok := LookupError(code); !ok {
			t.Errorf("%d is missing", code)
		}
	}
}

func TestErrorsEncodeKindAndRetryableFirst(t *testing.T) {
	cases := []struct {
		name string
		err  *Error
		want string
	}{
		{"kind and retryable from the table", NewError(CodeOverloaded, "m"),
			`{"code":-32001,"message":"m","data":{"kind":"overloaded","retryable":true}}`},
		{"an override", NewError(CodeInvalidRequest, "m", func(d *ErrorData) { d.Kind = KindNotInitialized }),
			`{"code":-32600,"message":"m","data":{"kind":"notInitialized","retryable":false}}`},
		{"an unlisted code is internal and keeps its text to itself", NewError(-1, "secret"),
			`{"code":-32603,"message":"internal error","data":{"kind":"internal","retryable":false}}`},
		{"a lost race", NewError(CodeApprovalAlreadyResolved, "m", func(d *ErrorData) {
			d.ApprovalID = "a1"
			d.Resolution = &ResolutionNotice{DecisionAbort, ResolvedByUser, "v:1", OutcomeRejected}
		}), `{"code":-32051,"message":"m","data":{"kind":"approvalAlreadyResolved","retryable":false,"approvalId":"a1",` +
			`"resolution":{"decision":"abort","resolvedBy":"user","viewCursor":"v:1","outcome":"rejected"}}}`},
		{"every other member in its place", NewError(CodeCommandRejected, "m", func(d *ErrorData) {
			*d = ErrorData{
				Kind: d.Kind, Reason: ReasonMissingAnchor, CommandID: "c", SessionID: "s", ApprovalID: "a", ChoiceID: ChoiceAbort,
				CurrentRequirementID: &RequirementID{"a", 2}, Anchor: new(""), LimitBytes: 1, Capacity: 2, Capability: "x", Role: RoleAgent, Method: "m",
			}
		}), `{"code":-32030,"message":"m","data":{"kind":"commandRejected","retryable":false,"reason":"missingAnchor","commandId":"c",` +
			`"sessionId":"s","approvalId":"a","choiceId":"abort","currentRequirementId":{"approvalId":"a","sourceIndex":2},` +
			`"anchor":"","limitBytes":1,"capacity":2,"capability":"x","role":"agent","method":"m"}}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Marshal(c.err)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			var back Error
			if err := json.Unmarshal(got, &back); err != nil {
				t.Fatal(err)
			}
			if again, _ := Marshal(&back); string(again) != c.want {
				t.Errorf("decoded and encoded: %s", again)
			}
		})
	}
}

func TestKindsAreFoundInWrappedErrors(t *testing.T) {
	err := fmt.Errorf("deciding: %w", NewError(CodeShuttingDown, "going down"))
	if !IsKind(err, KindShuttingDown) || IsKind(err, KindInternal) || IsKind(errors.New("x"), "") {
		t.Error("IsKind looks at the wrong error")
	}
	if !IsRetryable(err) || IsRetryable(errors.New("x")) {
		t.Error("IsRetryable looks at the wrong error")
	}
	if got, want := err.Error(), "deciding: going down (shuttingDown, -32095)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
