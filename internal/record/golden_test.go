package record

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the golden bytes of the current versions instead of comparing them")

// The golden files are testdata/golden/v<version>/<kind>.txtar: for each sample
// its header in hex, and its body as it stands on disk. Those of a version
// that has shipped never change; a new version of a kind gets a new file, and
// the old one stays, so that every record ever written is known to be read.
func TestGoldenRecordsAreWrittenAndReadByteForByte(t *testing.T) {
	for kind, spec := range kinds {
		t.Run(spec.name, func(t *testing.T) {
			path := filepath.Join("testdata", "golden", fmt.Sprintf("v%d", spec.version), spec.name+".txtar")
			if *update {
				writeGolden(t, path, kind)
			}
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range samples {
				if s.body.Kind() != kind {
					continue
				}
				t.Run(s.name, func(t *testing.T) {
					want := goldenValue(t, archive, s.name)
					if diff := cmp.Diff(string(want), string(s.encoded(t))); diff != "" {
						t.Errorf("written (-want +got):\n%s", diff)
					}
					got, err := Decode(9, want)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(s.record(), got, cmp.Comparer(sameCommand)); diff != "" {
						t.Errorf("read (-want +got):\n%s", diff)
					}
				})
			}
		})
	}
}

func TestEveryGoldenFileIsStillRead(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "golden", "v*", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < len(kinds) {
		t.Errorf("%d files for %d kinds", len(paths), len(kinds))
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"full", "least"} {
			t.Run(filepath.ToSlash(path)+" "+name, func(t *testing.T) {
				got, err := Decode(1, goldenValue(t, archive, name))
				if err != nil {
					t.Fatal(err)
				}
				if want := strings.TrimSuffix(filepath.Base(path), ".txtar"); got.Kind.String() != want {
					t.Errorf("it is a %s", got.Kind)
				}
			})
		}
	}
}

func TestEveryKindHasSamplesForItsGoldenFile(t *testing.T) {
	for kind := range kinds {
		have := map[string]int{}
		for _, s := range samples {
			if s.body.Kind() == kind {
				have[s.name]++
			}
		}
		if have["full"] != 1 || have["least"] != 1 {
			t.Errorf("samples of %s: %v; give one that is full and one of the least", kind, have)
		}
		for name, n := range have { // members that came later have samples of their own
			if n != 1 {
				t.Errorf("%d samples of %s are named %s", n, kind, name)
			}
		}
	}
}

// goldenValue joins the header and the body of a sample.
func goldenValue(t *testing.T, archive *txtar.Archive, name string) []byte {
	t.Helper()
	var value []byte
	for _, f := range archive.Files {
		switch f.Name {
		case name + "/header.hex":
			header, err := hex.DecodeString(strings.Join(strings.Fields(string(f.Data)), ""))
			if err != nil {
				t.Fatal(err)
			}
			value = append(header, value...)
		case name + "/body.json":
			value = append(value, strings.TrimSuffix(string(f.Data), "\n")...)
		}
	}
	if len(value) <= HeaderSize {
		t.Fatalf("no record %q in the archive", name)
	}
	return value
}

func writeGolden(t *testing.T, path string, kind Kind) {
	t.Helper()
	archive := &txtar.Archive{Comment: fmt.Appendf(nil, "Records of kind %d, %s. The header has %d bytes.\n", kind, kind, HeaderSize)}
	for _, s := range samples {
		if s.body.Kind() != kind {
			continue
		}
		value := s.encoded(t)
		var header strings.Builder
		for row := range 11 {
			fmt.Fprintf(&header, "%x\n", value[row*8:row*8+8])
		}
		archive.Files = append(archive.Files,
			txtar.File{Name: s.name + "/header.hex", Data: []byte(header.String())},
			txtar.File{Name: s.name + "/body.json", Data: append(value[HeaderSize:len(value):len(value)], '\n')},
		)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
		t.Fatal(err)
	}
}
