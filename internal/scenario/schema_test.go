package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/approvald/approvald/internal/audit"
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/tests/conform"
	"github.com/approvald/approvald/wire"
)

// The recordings are played, and what each leaves behind is held against the schema: every record of
// the log, and every line that `approvald audit --json` makes of it.
func TestWhatScenariosWriteIsOfTheSchema(t *testing.T) {
	files, err := filepath.Glob("../../testdata/scenarios/*.ndjson")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios found: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			s, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			p, err := newPlayer(&s.header)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := p.end(); err != nil {
					t.Error(err)
				}
			}()
			vars, peers := newBindings(s.header.Vars), map[string]*conform.Peer{}
			for _, st := range s.steps {
				said, err := p.step(t.Context(), vars, st)
				if err != nil {
					t.Fatal(err)
				}
				for _, h := range said {
					if peers[h.conn] == nil {
						peers[h.conn] = &conform.Peer{}
					}
					for _, line := range h.lines {
						if err := peers[h.conn].Heard([]byte(line)); err != nil {
							t.Error(err)
						}
					}
				}
				_ = s.compare(&st, said, vars) // for what it binds; TestEveryScenarioIsAnsweredByteForByte judges
			}
			for _, c := range p.conns {
				c.hangUp()
			}
			d := p.daemon
			p.daemon = nil
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			holdLog(t, filepath.Join(p.dir, "state", "sessions.db"), s.header.Serve.Ephemeral)
		})
	}
}

// holdLog holds the records of a log, and the lines that are made of them, against the schema.
func holdLog(t *testing.T, path string, ephemeral bool) {
	t.Helper()
	r, err := log.OpenReader(path)
	if ephemeral && errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Scan(func(seq uint64, value []byte) error {
		h, err := record.CheckHeader(seq, value)
		if err != nil {
			return err
		}
		if err := conform.Record(h.Kind, value[record.HeaderSize:]); err != nil {
			t.Errorf("record %d, %s: %v", seq, h.Kind, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := audit.Lines(r, audit.Filter{}, nil, func(l *audit.Line) error {
		text, err := wire.Marshal(l)
		if err != nil {
			return err
		}
		if err := conform.AuditLine(text); err != nil {
			t.Errorf("the line of record %d: %v", l.Seq, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
