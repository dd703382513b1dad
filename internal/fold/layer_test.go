package fold

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A stack of layers must look like one plain map each: writing to the top one
// is writing to a copy of the map below.
func TestLayersBehaveLikeCopiesOfAMap(t *testing.T) {
	for name, depth := range map[string]int{"one layer": 1, "two layers": 2, "three layers": 3} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				layers := make([]layer[string, int], depth)
				twins := make([]map[string]int, depth)
				for i := range depth {
					if i == 0 {
						twins[0] = map[string]int{}
					} else {
						layers[i] = layers[i-1].over()
						twins[i] = maps.Clone(twins[i-1])
					}
					for range rapid.IntRange(0, 12).Draw(t, "writes") {
						write(t, &layers[i], twins[i])
						compare(t, &layers[i], twins[i])
					}
				}
				for i := range depth { // what was written above has not reached below
					compare(t, &layers[i], twins[i])
				}
			})
		})
	}
}

func write(t *rapid.T, l *layer[string, int], twin map[string]int) {
	key := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key")
	if rapid.Bool().Draw(t, "drop") {
		l.drop(key)
		delete(twin, key)
		return
	}
	value := rapid.IntRange(1, 9).Draw(t, "value")
	l.put(key, value)
	twin[key] = value
}

func compare(t *rapid.T, l *layer[string, int], twin map[string]int) {
	t.Helper()
	for _, key := range []string{"a", "b", "c", "d", "never written"} {
		got, ok := l.get(key)
		want, known := twin[key]
		if got != want || ok != known {
			t.Fatalf("get(%q) = %d, %v; the map says %d, %v", key, got, ok, want, known)
		}
	}
	all := map[string]int{}
	for key, value := range l.all() {
		if _, twice := all[key]; twice {
			t.Fatalf("all yields %q twice", key)
		}
		all[key] = value
	}
	if diff := cmp.Diff(twin, all); diff != "" {
		t.Fatalf("all (-map +layer):\n%s", diff)
	}
}

func TestAReaderOfALayerMayStopEarly(t *testing.T) {
	var below layer[string, int]
	below.put("a", 1)
	below.put("b", 2)
	above := below.over()
	above.put("c", 3)
	for range 3 {
		seen := 0
		for range above.all() {
			seen++
			break
		}
		if seen != 1 {
			t.Errorf("saw %d", seen)
		}
	}
}

func TestTheBottomLayerForgetsWhatIsDropped(t *testing.T) {
	var l layer[string, int]
	l.put("a", 1)
	l.drop("a")
	if len(l.own) != 0 {
		t.Errorf("it still holds %v", l.own)
	}
}
