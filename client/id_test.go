package client

import (
	"regexp"
	"sync"
	"testing"
)

var uuidV7 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestCommandIDsAreLowerCaseUUIDsOfVersion7AndAscend(t *testing.T) {
	last := ""
	for range 10_000 {
		id := NewCommandID()
		if !uuidV7.MatchString(id) {
			t.Fatalf("%s is no UUIDv7", id)
		}
		if id <= last {
			t.Fatalf("%s does not follow %s", id, last)
		}
		last = id
	}
}

func TestCommandIDsOfManyGoroutinesDiffer(t *testing.T) {
	var seen sync.Map
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			for range 1000 {
				id := NewCommandID()
				if _, twice := seen.LoadOrStore(id, true); twice {
					t.Errorf("%s was minted twice", id)
				}
			}
		})
	}
	done.Wait()
}
