package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/approvald/approvald/internal/card"
)

// span is a stretch of time that the activity page looks back over.
type span struct {
	Name, Label string
	Step        time.Duration
	Steps       int
}

var spans = []span{
	{"day", "24 hours", time.Hour, 24},
	{"week", "7 days", 6 * time.Hour, 28},
	{"month", "30 days", 24 * time.Hour, 30},
}

// activityPage is what happened in a span of time.
type activityPage struct {
	Span                              span
	Spans                             []span
	Total, Allowed, Refused, ByPeople int
	Begins                            time.Time // what was before is not counted; zero where all is
	Timeline                          timeline
	Tallies                           []tally
}

// tally counts what happened by one property.
type tally struct {
	Name string
	Bars []bar
	More int // names that are not shown
}

// bar is one count; the widths are of a hundred.
type bar struct {
	Label          string
	Allowed, Other int
	AllowedWidth   float64
	OtherWidth     float64
}

// Total is both counts.
func (b bar) Total() int { return b.Allowed + b.Other }

// mostBars is how many names of a tally are shown.
const mostBars = 8

func (s *Server) activity(w http.ResponseWriter, r *http.Request, v visitor) {
	chosen := spans[0]
	for _, sp := range spans {
		if sp.Name == r.FormValue("span") {
			chosen = sp
		}
	}
	now := s.now()
	since := now.Truncate(chosen.Step).Add(-time.Duration(chosen.Steps-1) * chosen.Step)
	all := s.ledger.all()
	at, _ := slices.BinarySearchFunc(all, since, func(e entry, t time.Time) int { return e.at.Compare(t) })
	all = all[at:]
	a := activityPage{Span: chosen, Spans: spans, Total: len(all), Timeline: timelineOf(all, since, chosen)}
	if begins := s.ledger.begins(); begins.After(since) {
		a.Begins = begins
	}
	for i := range all {
		if all[i].allowed {
			a.Allowed++
		}
		if all[i].who != "" {
			a.ByPeople++
		}
	}
	a.Refused = a.Total - a.Allowed
	for _, by := range []struct {
		name string
		of   func(*entry) string
	}{
		{"Tool", func(e *entry) string { return card.Visible(firstBytes(e.tool, 64)) }},
		{"Outcome", func(e *entry) string { return e.outcome }},
		{"Rule", func(e *entry) string { return card.Visible(e.rule) }},
		{"Person", func(e *entry) string { return e.who }},
	} {
		a.Tallies = append(a.Tallies, tallyOf(by.name, all, by.of))
	}
	_, page := s.listAt(1, "")
	page.Title, page.Section, page.CSRF, page.Page = "Activity", "activity", v.csrf(), a
	s.show(w, http.StatusOK, "activity", page)
}

// tallyOf counts entries by a property; those that have none are not counted.
func tallyOf(name string, entries []entry, of func(*entry) string) tally {
	counts := make(map[string]*bar)
	for i := range entries {
		label := of(&entries[i])
		if label == "" {
			continue
		}
		b := counts[label]
		if b == nil {
			b = &bar{Label: label}
			counts[label] = b
		}
		if entries[i].allowed {
			b.Allowed++
		} else {
			b.Other++
		}
	}
	t := tally{Name: name}
	for _, b := range counts {
		t.Bars = append(t.Bars, *b)
	}
	slices.SortFunc(t.Bars, func(a, b bar) int {
		return cmp.Or(cmp.Compare(b.Total(), a.Total()), cmp.Compare(a.Label, b.Label))
	})
	if len(t.Bars) > mostBars {
		t.More = len(t.Bars) - mostBars
		t.Bars = t.Bars[:mostBars]
	}
	for i := range t.Bars {
		scale := 100 / float64(t.Bars[0].Total())
		t.Bars[i].AllowedWidth = float64(t.Bars[i].Allowed) * scale
		t.Bars[i].OtherWidth = float64(t.Bars[i].Other) * scale
	}
	return t
}

// The size of the timeline, in units of its view box.
const (
	timelineWidth  = 1080
	timelineHeight = 180
	timelineFoot   = 20 // below the columns, for the hours
	timelineHead   = 14 // above them, for the largest count
)

// timeline is a column for each step of time.
type timeline struct {
	Width, Height, Base int
	Most                int
	Columns             []column
	Ticks               []tick
}

// column is what was decided in one step: the allowed part stands on the base, the
// other on it.
type column struct {
	X, Width           float64
	AllowedY, AllowedH float64
	OtherY, OtherH     float64
	Title              string
}

// tick is a label below the columns.
type tick struct {
	X     float64
	Label string
}

func timelineOf(entries []entry, since time.Time, sp span) timeline {
	t := timeline{Width: timelineWidth, Height: timelineHeight, Base: timelineHeight - timelineFoot}
	allowed, other := make([]int, sp.Steps), make([]int, sp.Steps)
	for i := range entries {
		into := entries[i].at.Sub(since)
		step := int(into / sp.Step)
		if into < 0 || step >= sp.Steps {
			continue // of a clock that was ahead
		}
		if entries[i].allowed {
			allowed[step]++
		} else {
			other[step]++
		}
		t.Most = max(t.Most, allowed[step]+other[step])
	}
	width := float64(timelineWidth) / float64(sp.Steps)
	unit := float64(t.Base-timelineHead) / float64(max(1, t.Most))
	layout, every := "15:04", 4
	if sp.Step > time.Hour {
		layout, every = "2 Jan", 4
	}
	if sp.Step > 6*time.Hour {
		every = 5
	}
	for i := range sp.Steps {
		at := since.Add(time.Duration(i) * sp.Step)
		c := column{X: float64(i)*width + width*0.12, Width: width * 0.76}
		c.AllowedH, c.OtherH = float64(allowed[i])*unit, float64(other[i])*unit
		c.AllowedY = float64(t.Base) - c.AllowedH
		c.OtherY = c.AllowedY - c.OtherH
		c.Title = at.UTC().Format("2 Jan 15:04") + " UTC: " + strconv.Itoa(allowed[i]) + " allowed, " + strconv.Itoa(other[i]) + " refused or ended"
		t.Columns = append(t.Columns, c)
		if i%every == 0 {
			t.Ticks = append(t.Ticks, tick{X: float64(i)*width + width/2, Label: at.UTC().Format(layout)})
		}
	}
	return t
}
