package web

import (
	"testing"

	"go.uber.org/goleak"
)

// No goroutine is left when all tests have ended what they started.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
