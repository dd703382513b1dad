package sequencer_test

import (
	"encoding/json"
	"strconv"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/sequencer"
	"github.com/approvald/approvald/wire"
)

// catalogCommand is a step about the catalog of a session, or about a turn; nil
// for any other.
func (p *pair) catalogCommand(s step, session approval.ID) decide.Command {
	tools := []approval.ToolDefinition{{Name: "send", Digest: strconv.Itoa(s.how % 3)}}
	switch {
	case s.what == 10:
		return decide.OpenCatalog{Intent: p.intent(), Session: session, Server: "mail", Tools: tools}
	case s.what == 11 && len(p.catalogs) > 0:
		tool := write
		tool.Subject = approval.Tool{ServerName: "mail", ToolName: "send"}
		tool.Catalog = p.catalogs[s.how%len(p.catalogs)]
		return decide.Open{Intent: p.intent(), Session: session, Action: tool}
	case s.what == 12 && len(p.catalogs) > 0 && s.how < 30:
		return decide.CloseCatalog{Intent: p.intent(), Session: session, Catalog: p.catalogs[s.how%len(p.catalogs)]}
	case s.what == 12 && len(p.opened) > 0 && s.how < 60:
		i := s.which % len(p.opened)
		return decide.CompleteTurn{Intent: p.intent(), Session: p.approvals[i].Session, Turn: p.opened[i].String(), Terminal: wire.TurnWasCompleted}
	}
	return p.promptCommand(s, session)
}

// promptCommand is a step about prompts, or about turns; nil for any other.
func (p *pair) promptCommand(s step, session approval.ID) decide.Command {
	if s.what == 15 {
		return decide.OpenInput{
			Intent: p.intent(), Session: session, ToolCall: "call", ToolName: "ask",
			Questions: []wire.Question{{ID: "q", Question: "Why?"}},
		}
	}
	switch {
	case s.what == 19:
		return decide.StartTurn{Intent: p.intent(), Session: session, Input: []json.RawMessage{json.RawMessage(`{}`)}}
	case s.what == 20 && len(p.turns) > 0:
		i := s.which % len(p.turns)
		return decide.InterruptTurn{Intent: p.intent(), Session: p.begun[i].Session, Turn: p.turns[i].String()}
	}
	if s.what < 16 || s.what > 17 || len(p.prompts) == 0 {
		return nil
	}
	i := s.which % len(p.prompts)
	in, id := p.asked[i].Session, p.prompts[i]
	switch {
	case s.what == 17 && s.how < 30:
		return decide.CompleteTurn{Intent: p.intent(), Session: in, Turn: id.String(), Terminal: wire.TurnWasCompleted}
	case s.what == 17 && s.how < 60:
		return decide.InterruptInput{Intent: p.intent(), Session: in, Input: id}
	case s.what == 17:
		return decide.CancelInput{Intent: p.intent(), Session: in, Input: id}
	}
	return decide.AnswerInput{Intent: p.intent(), Session: in, Input: id, Answers: []wire.Answer{{QuestionID: "q", FreeText: new("so")}}}
}

// listed keeps the catalog that an answer names.
func (p *pair) listed(r sequencer.Reply) {
	var opened wire.CatalogOpenResult
	if r.Ack == nil {
		return
	}
	if err := json.Unmarshal(r.Ack, &opened); err != nil {
		p.t.Fatal(err)
	}
	id, err := approval.ParseID(opened.CatalogID)
	if err != nil {
		p.t.Fatal(err)
	}
	p.catalogs = append(p.catalogs, id)
}
