package rpc

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/approvald/approvald/wire"
)

func TestLines(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"LF ends a line", "a\nb\n", []string{"a", "b"}},
		{"CR before LF is not part of the line", "a\r\nb\r\n", []string{"a", "b"}},
		{"one CR only is taken away", "a\r\r\n", []string{"a\r"}},
		{"CR elsewhere stays", "a\rb\n\rc\n", []string{"a\rb", "\rc"}},
		{"empty lines are skipped", "\n\r\n\na\n\n\r\nb\n\n", []string{"a", "b"}},
		{"white space is not empty", " \n", []string{" "}},
		{"a last line without LF is a line", "a\nb", []string{"a", "b"}},
		{"a last line with CR only is a line", "a\nb\r", []string{"a", "b"}},
		{"a last CR is an empty line", "a\n\r", []string{"a"}},
		{"nothing is no line", "", nil},
		{"a line of just a window", strings.Repeat("x", windowSize) + "\ny\n", []string{strings.Repeat("x", windowSize), "y"}},
		{"a line of just a window and CR", strings.Repeat("x", windowSize) + "\r\ny\n", []string{strings.Repeat("x", windowSize), "y"}},
		{"a CR that ends a window", strings.Repeat("x", windowSize-1) + "\r\ny\n", []string{strings.Repeat("x", windowSize-1), "y"}},
		{"a line of many windows behind a short one", "y\n" + strings.Repeat("x", 5*windowSize+7) + "\ny\n", []string{"y", strings.Repeat("x", 5*windowSize+7), "y"}},
	}
	chunkings := map[string]func(io.Reader) io.Reader{
		"whole":        func(r io.Reader) io.Reader { return r },
		"byte by byte": iotest.OneByteReader,
		"in halves":    iotest.HalfReader,
		"EOF at once":  iotest.DataErrReader,
	}
	for _, tt := range tests {
		for chunking, chunk := range chunkings {
			t.Run(tt.name+"/"+chunking, func(t *testing.T) {
				if diff := cmp.Diff(tt.want, readAll(t, chunk(strings.NewReader(tt.in)))); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestLinesEqualTheNaiveSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.Custom(func(t *rapid.T) string {
			around := rapid.SampledFrom([]int{0, 0, 0, windowSize, 2 * windowSize}).Draw(t, "windows")
			size := max(0, around+rapid.IntRange(-3, 40).Draw(t, "more"))
			return strings.Repeat("x", size) + rapid.SampledFrom([]string{"\n", "\r\n", "\r\r\n"}).Draw(t, "ending")
		})
		text := strings.Join(rapid.SliceOfN(line, 0, 8).Draw(t, "lines"), "") + rapid.SampledFrom([]string{"", "x", "x\r"}).Draw(t, "rest")
		var want []string
		for line := range strings.SplitSeq(text, "\n") {
			if line = strings.TrimSuffix(line, "\r"); line != "" {
				want = append(want, line)
			}
		}
		sizes := rapid.SliceOfN(rapid.IntRange(0, windowSize+5), 1, 5).Draw(t, "reads")
		if diff := cmp.Diff(want, readAll(t, &chunkReader{text: text, sizes: sizes})); diff != "" {
			t.Fatal(diff)
		}
	})
}

// chunkReader returns text in reads of the given sizes, over and over; some may be empty.
type chunkReader struct {
	text  string
	sizes []int
	n     int
}

func (c *chunkReader) Read(p []byte) (int, error) {
	if c.text == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.sizes[c.n%len(c.sizes)])], c.text)
	if c.n++; c.n%len(c.sizes) == 0 && n == 0 {
		n = copy(p[:1], c.text) // progress each round
	}
	c.text = c.text[n:]
	return n, nil
}

func TestFrameLimit(t *testing.T) {
	exact := strings.Repeat("x", wire.MaxFrame)
	tests := []struct {
		name, in  string
		oversized bool
	}{
		{"a frame of just the limit", exact + "\n", false},
		{"CR and LF do not count", exact + "\r\n", false},
		{"a frame of just the limit at EOF", exact, false},
		{"one byte more", exact + "x\n", true},
		{"one byte more and CR", exact + "x\r\n", true},
		{"one byte more at EOF", exact + "x", true},
		{"two CR", exact + "\r\r\n", true},
		{"twice the limit", exact + exact + "\n", true},
		{"twice the limit at EOF", exact + exact, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newLineReader(io.MultiReader(strings.NewReader("before\n"+tt.in), strings.NewReader("\nafter\n")))
			wantLine(t, l, "before")
			f, err := l.next()
			if err != nil {
				t.Fatal(err)
			}
			if f.oversized != tt.oversized {
				t.Errorf("oversized = %t, want %t", f.oversized, tt.oversized)
			}
			want := wire.MaxFrame
			if tt.oversized {
				want = prefixSize
			}
			if string(f.line) != exact[:want] {
				t.Errorf("the line has %d bytes, want %d", len(f.line), want)
			}
			wantLine(t, l, "after")
			if _, err := l.next(); !errors.Is(err, io.EOF) {
				t.Errorf("at the end: %v, want io.EOF", err)
			}
		})
	}
}

func TestLimitWhereCRArrivesBeforeLF(t *testing.T) {
	l := newLineReader(io.MultiReader(io.LimitReader(endless('x'), wire.MaxFrame), strings.NewReader("\r"), strings.NewReader("\nafter\n")))
	if f, err := l.next(); err != nil || f.oversized || len(f.line) != wire.MaxFrame {
		t.Errorf("got %d bytes (oversized %t), %v", len(f.line), f.oversized, err)
	}
	wantLine(t, l, "after")
}

func TestOversizedFrameIsReportedBeforeItsEnd(t *testing.T) {
	start, end := io.Pipe()
	go func() {
		// The writer stays within the line for ever.
		for {
			if _, err := end.Write(bytes.Repeat([]byte("x"), windowSize)); err != nil {
				return
			}
		}
	}()
	defer start.Close()
	f, err := newLineReader(start).next()
	if err != nil || !f.oversized {
		t.Errorf("got oversized %t, %v", f.oversized, err)
	}
}

func TestReadErrorDropsTheUnfinishedLine(t *testing.T) {
	broken := errors.New("connection reset")
	for _, size := range []int{1, windowSize, 3*windowSize + 1, wire.MaxFrame + 2} {
		unfinished := strings.Repeat("x", size)
		l := newLineReader(io.MultiReader(strings.NewReader("a\n"+unfinished), iotest.ErrReader(broken)))
		wantLine(t, l, "a")
		if size > wire.MaxFrame {
			if f, err := l.next(); err != nil || !f.oversized {
				t.Errorf("%d bytes: got oversized %t, %v", size, f.oversized, err)
			}
		}
		for range 2 {
			if f, err := l.next(); !errors.Is(err, broken) {
				t.Errorf("%d bytes: got %q, %v, want %v", size, f.line, err, broken)
			}
		}
	}
}

func TestReaderWithoutProgressEnds(t *testing.T) {
	l := newLineReader(&chunkReader{text: "a", sizes: make([]int, 2*maxEmptyReads)})
	if _, err := l.next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v, want %v", err, io.ErrNoProgress)
	}
}

func TestLinesAreTheCallers(t *testing.T) {
	l := newLineReader(strings.NewReader("first\nsecond\n"))
	first, err := l.next()
	if err != nil {
		t.Fatal(err)
	}
	_ = append(first.line, "overwritten"...)
	wantLine(t, l, "second")
	if string(first.line) != "first" {
		t.Errorf("the first line became %q", first.line)
	}
}

// TestMemoryOfAnOversizedFrame counts all that is allocated while it passes, garbage included.
func TestMemoryOfAnOversizedFrame(t *testing.T) {
	stream := io.MultiReader(strings.NewReader(`{"id":1,"params":"`), io.LimitReader(endless('x'), 2*wire.MaxFrame), strings.NewReader("\"}\nafter\n"))
	l := newLineReader(stream)
	before := memStats().TotalAlloc
	f, err := l.next()
	if err != nil || !f.oversized {
		t.Fatalf("got oversized %t, %v", f.oversized, err)
	}
	wantLine(t, l, "after")
	const slack = prefixSize + windowSize + 64<<10 // the prefix, the window behind the cap, the list of windows
	if grown := memStats().TotalAlloc - before; grown > wire.MaxFrame+slack {
		t.Errorf("a frame of twice the limit took %d bytes, want at most %d", grown, wire.MaxFrame+slack)
	}
}

func TestMemoryOfALargeFrameGoesWithIt(t *testing.T) {
	l := newLineReader(io.MultiReader(io.LimitReader(endless('x'), wire.MaxFrame), strings.NewReader("\nafter\n")))
	before := memStats().HeapAlloc
	f, err := l.next()
	if err != nil || len(f.line) != wire.MaxFrame {
		t.Fatalf("got %d bytes, %v", len(f.line), err)
	}
	if after := memStats().HeapAlloc; after > before+1<<20 {
		t.Errorf("the connection holds %d bytes more than before a frame that is gone", after-before)
	}
	wantLine(t, l, "after")
}

// memStats returns what is allocated after a collection.
func memStats() runtime.MemStats {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}

// endless is a reader of one byte, over and over.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func wantLine(t *testing.T, l *lineReader, want string) {
	t.Helper()
	f, err := l.next()
	if err != nil || f.oversized || string(f.line) != want {
		t.Fatalf("got %q (oversized %t), %v, want %q", f.line[:min(len(f.line), 80)], f.oversized, err, want)
	}
}

// readAll returns every line until io.EOF, which must stay.
func readAll(t interface{ Fatalf(string, ...any) }, r io.Reader) []string {
	l := newLineReader(r)
	var lines []string
	for {
		f, err := l.next()
		if errors.Is(err, io.EOF) {
			if _, err := l.next(); !errors.Is(err, io.EOF) {
				t.Fatalf("behind io.EOF: %v", err)
			}
			return lines
		}
		if err != nil || f.oversized {
			t.Fatalf("oversized %t, %v", f.oversized, err)
		}
		lines = append(lines, string(f.line))
	}
}
