package rulefile

import (
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"
)

// reader turns the document of one file into a File, collecting faults.
type reader struct {
	*faults
	layer string
	file  *File

	created time.Time // created_at of the rule being read
}

// kinds names what a value is, for messages.
var kinds = map[unstable.Kind]string{
	unstable.String:        "text",
	unstable.Integer:       "a number",
	unstable.Float:         "a number with a fraction",
	unstable.Bool:          "a boolean",
	unstable.Array:         "a list",
	unstable.InlineTable:   "a table",
	unstable.DateTime:      "a time",
	unstable.LocalDateTime: "a time without a zone",
	unstable.LocalDate:     "a date",
	unstable.LocalTime:     "a time of day",
}

// wrong reports a value of another type than the key has.
func (r *reader) wrong(e entry, want, instead string) {
	r.add(e.line, "%s is %s; write %s: %s = %s", shown(e.name), kinds[e.value.kind], want, e.name, instead)
}

// text is a value that is text, not empty and all of it visible.
func (r *reader) text(e entry, example string) (string, bool) {
	switch v := e.value; v.kind {
	case unstable.String:
		return v.text, r.legible(e, v.text)
	case unstable.Integer, unstable.Float, unstable.Bool:
		r.wrong(e, "it in quotes", quote(v.text))
	default:
		r.wrong(e, "one text in quotes", example)
	}
	return "", false
}

// legible refuses text that is empty or not as it looks.
func (r *reader) legible(e entry, text string) bool {
	if text == "" {
		r.add(e.line, "%s is empty; give it a value or leave it out", e.name)
		return false
	}
	if c, found := invisible(text); found {
		r.add(e.line, "%s = %s holds U+%04X, a character that nobody can see; leave it out", e.name, quote(text), c)
		return false
	}
	return true
}

// texts is a value that is a list of texts, each not empty and visible.
func (r *reader) texts(e entry, example string) ([]string, bool) {
	if e.value.kind == unstable.String {
		words := strings.Fields(e.value.text)
		if _, hidden := invisible(e.value.text); hidden || len(words) == 0 {
			r.wrong(e, "a list", example)
		} else {
			r.wrong(e, "a list", quoteList(words))
		}
		return nil, false
	}
	if e.value.kind != unstable.Array {
		r.wrong(e, "a list", example)
		return nil, false
	}
	list := make([]string, 0, len(e.value.list))
	for i, v := range e.value.list {
		switch c, hidden := invisible(v.text); {
		case v.kind != unstable.String:
			r.add(e.line, "value %d of %s is %s; a list has texts in quotes only: %s = %s", i+1, e.name, kinds[v.kind], e.name, example)
		case v.text == "":
			r.add(e.line, "value %d of %s is empty; give it text or leave it out", i+1, e.name)
		case hidden:
			r.add(e.line, "value %d of %s, %s, holds U+%04X, a character that nobody can see; leave it out", i+1, e.name, quote(v.text), c)
		default:
			list = append(list, v.text)
		}
	}
	return list, len(list) == len(e.value.list)
}

// number is a value that is a whole number of at least least and at most most.
func (r *reader) number(e entry, least, most int64, example string) int {
	v := e.value
	if v.kind != unstable.Integer {
		if _, err := strconv.ParseUint(v.text, 10, 63); v.kind == unstable.String && err == nil {
			r.wrong(e, "it without quotes", v.text)
		} else {
			r.wrong(e, "a whole number", example)
		}
		return 0
	}
	n, err := strconv.ParseInt(v.text, 0, 64)
	if err != nil || n < least || n > most {
		r.add(e.line, "%s = %s is out of range; write a number from %d to %d", e.name, shown(v.text), least, most)
		return 0
	}
	return int(n)
}

// yes is a value that is true: a key that says something by being there.
func (r *reader) yes(e entry) bool {
	switch v := e.value; {
	case v.kind == unstable.Bool && v.text == "true":
		return true
	case v.kind == unstable.Bool:
		r.add(e.line, "%s can only be true; leave it out where it is not meant", e.name)
	default:
		r.wrong(e, "true without quotes", "true")
	}
	return false
}

// time is a value that is a moment, with its zone.
func (r *reader) time(e entry) (time.Time, bool) {
	if e.value.kind != unstable.DateTime {
		r.wrong(e, "a time with a zone, without quotes", "2026-01-31T12:00:00Z")
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, strings.Replace(strings.ToUpper(e.value.text), " ", "T", 1))
	if err != nil {
		r.add(e.line, "%s = %s is no time; write it as in 2026-01-31T12:00:00Z", e.name, shown(e.value.text))
		return time.Time{}, false
	}
	return at, true
}

// choice is a text that must be one of a few.
func choice[T ~string](r *reader, e entry, values []T) (T, bool) {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	if e.value.kind != unstable.String {
		r.add(e.line, "%s is %s; write %s", e.name, kinds[e.value.kind], either(names))
		return "", false
	}
	text := e.value.text
	for _, v := range values {
		if string(v) == text {
			return v, true
		}
	}
	r.unknown(e, text, names)
	return "", false
}

// unknown reports a text that is none of a few.
func (r *reader) unknown(e entry, text string, names []string) {
	if name, found := nearest(text, names); found {
		r.add(e.line, `%s = "%s" is not known; write %s`, e.name, shown(text), quote(name))
		return
	}
	r.add(e.line, `%s = "%s" is not known; write %s`, e.name, shown(text), either(names))
}
