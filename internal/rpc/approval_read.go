package rpc

import (
	"encoding/json"
	"fmt"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// approvalRead serves approval/read (protocol §6): the full request and what
// became of it. A diff too long to publish is given here.
func (r *request) approvalRead() {
	var p wire.ApprovalReadParams
	if e := r.decode(&p); e != nil {
		r.fail(e)
		return
	}
	id, e := identity("approvalId", p.ApprovalID)
	if e != nil {
		r.fail(e)
		return
	}
	var lineage []approval.ID
	var found *fold.Approval
	e = r.inSession(p.SessionID, func(_ *fold.State, in *fold.Session) *wire.Error {
		lineage = in.Lineage
		var ok bool
		if found, ok = in.Approval(id); !ok {
			return decide.ApprovalNotFound(id)
		}
		return nil
	})
	if e != nil {
		r.fail(e)
		return
	}
	result, err := r.conn.srv.readApproval(lineage, found)
	if err != nil {
		r.internal(err)
		return
	}
	if result.Resolution != nil && r.conn.handshake.role == wire.RoleReviewer {
		// Feedback, which the denial repeats, is for the agent and the audit.
		result.Resolution.Feedback, result.Resolution.Denial = "", nil
	}
	if r.conn.handshake.decidedBy {
		result.DecidedBy = found.Decider()
	}
	r.reply(result)
}

func (s *Server) readApproval(lineage []approval.ID, a *fold.Approval) (wire.ApprovalReadResult, error) {
	var result wire.ApprovalReadResult
	opening, err := s.seq.Record(a.Opened)
	if err != nil {
		return result, err
	}
	opened, ok := opening.Body.(*record.ApprovalOpened)
	if !ok {
		return result, fmt.Errorf("record %d is no opening record but %s", a.Opened, opening.Kind)
	}
	if a.Pending() {
		full, err := a.Full(s.seq.Record)
		if err != nil {
			return result, err
		}
		result.Request = *full.Params(lineage)
	} else {
		request, err := s.firstRequest(opening, lineage, a)
		if err != nil {
			return result, err
		}
		result.Request, result.Resolution = *request, a.Resolution()
	}
	if opened.Diff != "" {
		result.Request.Subject, err = withDiff(result.Request.Subject, opened.Diff)
	}
	return result, err
}

// firstRequest is the request of a settled approval as it was put to reviewers
// at first, from its opening record.
func (s *Server) firstRequest(opening record.Record, lineage []approval.ID, a *fold.Approval) (*wire.ApprovalRequest, error) {
	for _, e := range fold.Events(opening, opening, lineage) {
		if request, ok := e.Params.(*wire.ApprovalRequest); ok {
			return request, nil
		}
	}
	return nil, fmt.Errorf("the opening record of approval %s gives no request", a.ID)
}

func withDiff(subject json.RawMessage, diff string) (json.RawMessage, error) {
	decoded, err := approval.DecodeSubject(subject)
	if err != nil {
		return nil, err
	}
	file, ok := decoded.(approval.File)
	if !ok {
		return subject, nil
	}
	file.Diff, file.DiffOmitted = diff, false
	return approval.EncodeSubject(file)
}
