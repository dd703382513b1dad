package audit

import (
	"github.com/approvald/approvald/internal/log"
	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/internal/recovery"
)

// Head is the head of the chain over a log, and how many records are under it,
// by the last record alone, while a daemon may be writing the log. That the
// others lead up to it is for Verify to tell.
func Head(path string) (records uint64, head record.Chain, err error) {
	seq, value, err := log.Tail(path)
	if err != nil || seq == 0 {
		return 0, record.Chain{}, err
	}
	if h, err := record.CheckHeader(seq, value); err != nil {
		return 0, record.Chain{}, &recovery.RecordError{Seq: seq, Kind: h.Kind, Err: err}
	}
	return seq, record.ChainOf(value), nil
}
