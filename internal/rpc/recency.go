package rpc

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// listPlace is where a session stands in the list: by the time of its last record,
// then by the sequence of its first.
type listPlace struct {
	updated int64 // Unix milliseconds
	first   uint64
}

func (a listPlace) compare(b listPlace) int {
	return cmp.Or(cmp.Compare(a.updated, b.updated), cmp.Compare(a.first, b.first))
}

// text is the place as a cursor.
func (a listPlace) text() string {
	return strconv.FormatInt(a.updated, 10) + "." + strconv.FormatUint(a.first, 10)
}

func parsePlace(text string) (listPlace, bool) {
	updated, firstSeq, _ := strings.Cut(text, ".")
	at, err1 := strconv.ParseInt(updated, 10, 64)
	first, err2 := strconv.ParseUint(firstSeq, 10, 64)
	place := listPlace{at, first}
	return place, err1 == nil && err2 == nil && place.text() == text
}

// recency is the list of the sessions. It is brought up to date when somebody
// asks, from the headers of the records since, so that it costs commits nothing,
// and a daemon that is never asked has none.
type recency struct {
	mu   sync.Mutex
	upTo uint64 // every record up to here is in it; 0: it was never made
	at   map[approval.ID]listed
	// order holds places that sessions have, or had, oldest first. An entry counts
	// while at has it.
	order []listed
}

type listed struct {
	listPlace
	session approval.ID
	seq     uint64 // of the record that put it there
}

// spareEntries is how many entries of order may count no more, beyond as many as
// there are sessions.
const spareEntries = 1024

// reach brings the order up to the state's head.
func (x *recency) reach(s *Server) error {
	head := s.durable()
	if x.upTo == 0 || head-x.upTo > uint64(len(x.at)+spareEntries) {
		x.make(s)
		return nil
	}
	if head <= x.upTo {
		return nil
	}
	err := s.seq.ScanRange(x.upTo+1, head, func(seq uint64, h record.Header) (wanted bool) {
		if !h.Session.IsZero() { // a refused start is of none
			x.note(h.Session, seq, h.At)
		}
		return false
	}, nil)
	if err != nil {
		x.upTo = 0 // half of it may be in the order
		return err
	}
	x.upTo = head
	if len(x.order) > 2*len(x.at)+spareEntries {
		x.order = slices.DeleteFunc(x.order, func(e listed) bool { return !x.counts(e) })
	}
	return nil
}

// note moves a session to where a record puts it, which is near the end unless
// the clock was set back.
func (x *recency) note(session approval.ID, seq uint64, at time.Time) {
	old, known := x.at[session]
	now := listed{listPlace{at.UnixMilli(), old.first}, session, seq}
	if !known {
		now.first = seq
	}
	if known && now.listPlace == old.listPlace {
		return
	}
	x.at[session] = now
	i := len(x.order)
	for i > 0 && x.order[i-1].compare(now.listPlace) > 0 {
		i--
	}
	x.order = slices.Insert(x.order, i, now)
}

// make makes the order anew from the state.
func (x *recency) make(s *Server) {
	x.at, x.order = make(map[approval.ID]listed), nil
	s.seq.View(func(state *fold.State) {
		x.upTo = state.Head()
		for session := range state.Sessions() {
			x.order = append(x.order, listed{listPlace{session.UpdatedAt.UnixMilli(), session.First}, session.ID, session.Last})
		}
	})
	slices.SortFunc(x.order, func(a, b listed) int { return a.compare(b.listPlace) })
	for _, e := range x.order {
		x.at[e.session] = e
	}
}

func (x *recency) counts(e listed) bool { return x.at[e.session].seq == e.seq }

// behind yields the sessions behind a place, newest first; nil is in front of all.
func (x *recency) behind(place *listPlace) iter.Seq[listed] {
	end := len(x.order)
	if place != nil {
		end, _ = slices.BinarySearchFunc(x.order, *place, func(e listed, place listPlace) int { return e.compare(place) })
	}
	return func(yield func(listed) bool) {
		for _, e := range slices.Backward(x.order[:end]) {
			if x.counts(e) && !yield(e) {
				return
			}
		}
	}
}

// listBatch is how many sessions are looked at in one go: the writer waits for
// whoever looks.
const listBatch = 256

// newest shows the first sessions behind a place that are wanted, newest first, at
// most so many. next is the place of the last one where there are more, else nil.
func (s *Server) newest(place *listPlace, most int, wanted func(*fold.Session) bool, show func(*fold.Session)) (next *listPlace, err error) {
	x := &s.recency
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.reach(s); err != nil {
		return nil, err
	}
	shown, last := 0, listPlace{}
	look := func(batch []listed) (more bool) {
		s.seq.View(func(state *fold.State) {
			for _, e := range batch {
				session, ok := state.Session(e.session)
				if !ok || !wanted(session) {
					continue
				}
				if shown == most {
					next = &last
					return
				}
				show(session)
				shown, last = shown+1, e.listPlace
			}
		})
		return next == nil
	}
	batch := make([]listed, 0, min(listBatch, most+1))
	for e := range x.behind(place) {
		if batch = append(batch, e); len(batch) < cap(batch) {
			continue
		}
		if !look(batch) {
			return next, nil
		}
		batch = batch[:0]
	}
	look(batch)
	return next, nil
}
