package fold

import (
	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/wire"
)

// Profile is what a session object says about the daemon rather than about
// the session.
type Profile struct {
	LogPath string // of the log; "" where nothing is on disk
	// ReplayedTo is the head of the log when this daemon opened it: a mode set
	// at or before it was read back, not set, in this daemon's life.
	ReplayedTo uint64
}

// Object is the session as clients see it (protocol §4).
func (s *Session) Object(p Profile) wire.Session {
	o := wire.Session{
		SessionID:     s.ID.String(),
		Status:        s.Status(),
		TurnCount:     s.TurnCount,
		Path:          p.LogPath,
		CreatedAt:     wire.FormatTime(s.CreatedAt),
		UpdatedAt:     wire.FormatTime(s.UpdatedAt),
		WorkspaceRoot: textOrNull(s.Started.WorkspaceRoot),
		ProviderID:    textOrNull(s.Started.ProviderID),
		ModelID:       textOrNull(s.Started.ModelID),
		ActiveTurnID:  textOrNull(s.activeTurn()),
		ApprovalMode:  s.Mode.Object(p),
		Attention:     s.Attention(),
		Name:          s.Started.Name,
		Preset:        wire.Preset(s.Preset),
		Kind:          wire.SessionRoot,
	}
	if parent, ok := s.Parent(); ok {
		o.Kind, o.ParentSessionID = wire.SessionSubagent, parent.String()
	}
	if by := s.Started.By; by.Client != "" {
		o.CreatedByClient = &wire.ClientInfo{Name: by.Client, Version: by.Version}
	}
	return o
}

// Status is notLoaded for a closed session, and running while a turn is open.
func (s *Session) Status() wire.SessionStatus {
	switch {
	case s.Closed:
		return wire.SessionNotLoaded
	case s.Running():
		return wire.SessionRunning
	}
	return wire.SessionIdle
}

// activeTurn is the id of the open turn; "" for none.
func (s *Session) activeTurn() string {
	if !s.Running() {
		return ""
	}
	return s.ActiveTurn.String()
}

// Attention says what the session, or one below it, waits for; nil for nothing.
func (s *Session) Attention() (attention []wire.Attention) {
	if s.Pending+s.Below > 0 {
		attention = append(attention, wire.AttentionApproval)
	}
	if s.Prompts+s.PromptsBelow > 0 {
		attention = append(attention, wire.AttentionInput)
	}
	return attention
}

// Object is the mode as clients see it. A mode that was read back from the
// log has the source replay (msp-facts §3.5).
func (m Mode) Object(p Profile) wire.ModeState {
	source := m.Source
	if m.Seq <= p.ReplayedTo {
		source = approval.ModeReplayed
	}
	return wire.ModeState{
		Mode: wire.Mode(m.Mode), Source: wire.ModeSource(source), LastCommandID: textOrNull(m.Command.String()),
	}
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
