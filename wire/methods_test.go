package wire

import (
	"reflect"
	"slices"
	"testing"
)

func TestMethodTableRowsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Methods {
		if seen[m.Name] {
			t.Errorf("%s appears twice", m.Name)
		}
		seen[m.Name] = true
		if m.Section == "" || m.Summary == "" || len(m.Roles) == 0 || m.Params == nil {
			t.Errorf("%s lacks a section, summary, role or params", m.Name)
		}
		answered := m.Kind == CommandMethod || m.Kind == QueryMethod || m.Kind == ServerRequestMethod
		if answered != (m.Result != nil) {
			t.Errorf("%s is a %s and has result %T", m.Name, m.Kind, m.Result)
		}
	}
}

func TestCommandsCarryACommandIDAndAckIt(t *testing.T) {
	for _, m := range Methods {
		if m.Kind != CommandMethod {
			continue
		}
		if first := reflect.TypeOf(m.Params).Field(0); first.Name != "CommandID" {
			t.Errorf("%s: the params begin with %s", m.Name, first.Name)
		}
		if first := reflect.TypeOf(m.Result).Field(0); first.Type != reflect.TypeFor[Ack]() || !first.Anonymous {
			t.Errorf("%s: the result does not begin with an Ack", m.Name)
		}
	}
}

func TestQueriesCarryNoCommandID(t *testing.T) {
	for _, m := range Methods {
		if _, has := reflect.TypeOf(m.Params).FieldByName("CommandID"); has && m.Kind == QueryMethod {
			t.Errorf("%s is a query and takes a commandId", m.Name)
		}
	}
}

// The wanted sets are the table of protocol §2.
func TestRolesOfRequests(t *testing.T) {
	onlyReviewers := []string{MethodSessionSetApprovalMode, MethodApprovalDecide, MethodGrantList, MethodGrantRevoke,
		MethodUserInputAnswer, MethodUserInputCancel, MethodUserInputClarify, MethodUserInputInterrupt,
		MethodTurnStart, MethodTurnInterrupt}
	onlyAgents := []string{MethodApprovalOpen, MethodApprovalAwait, MethodApprovalCancel, MethodApprovalConsume, MethodApprovalPrepare, MethodApprovalConsumeAll}
	onlyAgents = append(onlyAgents, MethodCatalogOpen, MethodCatalogUpdate, MethodCatalogClose, MethodTurnComplete,
		MethodUserInputOpen, MethodUserInputAwait)
	for _, m := range Methods {
		if m.Kind != CommandMethod && m.Kind != QueryMethod {
			continue
		}
		if got, want := m.Allows(RoleAgent), !slices.Contains(onlyReviewers, m.Name); got != want {
			t.Errorf("%s allows agents: %v", m.Name, got)
		}
		if got, want := m.Allows(RoleReviewer), !slices.Contains(onlyAgents, m.Name); got != want {
			t.Errorf("%s allows reviewers: %v", m.Name, got)
		}
		if !m.Allows(RoleBoth) || m.Allows("") {
			t.Errorf("%s: both must be allowed, no role must not", m.Name)
		}
	}
}

func TestLookupMethod(t *testing.T) {
	if m, ok := LookupMethod(MethodApprovalDecide); !ok || m.Name != MethodApprovalDecide {
		t.Errorf("got %+v, %v", m, ok)
	}
	if _, ok := LookupMethod("model/list"); ok {
		t.Error("model/list is not served")
	}
}
