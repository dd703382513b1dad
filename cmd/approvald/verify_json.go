package main

import (
	"encoding/hex"

	"github.com/approvald/approvald/internal/audit"
)

// The object of verify --json. Its names are stable: members may come, none
// goes or changes its meaning.
type (
	verifyObject struct {
		Path    string            `json:"path"`
		OK      bool              `json:"ok"`
		Records uint64            `json:"records"` // that hold: up to the damage, if there is one
		Kinds   map[string]uint64 `json:"kinds"`
		Head    string            `json:"head"` // of the chain over these records
		First   string            `json:"first,omitempty"`
		Last    string            `json:"last,omitempty"`
		// HeaderPages is 1 where one of the file's two does not hold.
		HeaderPages int           `json:"headerPages"`
		Writer      int           `json:"writer,omitempty"` // the pid of the daemon that writes the log
		Wanted      *wantedObject `json:"wanted,omitempty"` // of --head
		Damage      *damageObject `json:"damage,omitempty"`
		Error       string        `json:"error,omitempty"` // where it is not ok, the sentence
	}
	wantedObject struct {
		Head   string  `json:"head"`
		Record *uint64 `json:"record"` // whose head it is; null where it is not in the chain
	}
	damageObject struct {
		Sequence uint64 `json:"sequence"` // the first that does not hold; 0: all do, and the file does not
		Kind     string `json:"kind,omitempty"`
	}
)

// object is what is known of a log that was opened, and of what err says of it.
func (v verified) object(err error) verifyObject {
	o := verifyObject{
		Path: v.path, OK: err == nil, Records: v.Records, Kinds: map[string]uint64{},
		Head: hex.EncodeToString(v.Head[:]), HeaderPages: v.headers,
	}
	for k, n := range v.Kinds {
		o.Kinds[k.String()] = n
	}
	if v.Records > 0 {
		o.First, o.Last = stamp(v.First), stamp(v.Last)
	}
	if v.writer != nil {
		o.Writer = v.writer.PID
	}
	if v.wanted != nil {
		o.Wanted = &wantedObject{hex.EncodeToString(v.wanted[:]), v.Proven}
	}
	if seq, kind, damaged := audit.Damage(err); damaged {
		o.Damage = &damageObject{seq, kind}
	}
	if err != nil {
		o.Error = err.Error()
	}
	return o
}
