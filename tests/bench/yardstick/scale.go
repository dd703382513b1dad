package yardstick

import (
	"os"
	"strconv"
)

// ScaleEnv is the variable that says how many times smaller than in earnest the large things are
// that benchmarks are made on: a test that only sees whether they run makes them small.
const ScaleEnv = "APPROVALD_BENCH_SCALE"

// Scaled is n, or what is left of it by ScaleEnv, but not less than least.
func Scaled(n, least int) int {
	scale, err := strconv.ParseFloat(os.Getenv(ScaleEnv), 64)
	if err != nil || scale <= 0 {
		return n
	}
	return max(least, int(float64(n)/scale))
}
