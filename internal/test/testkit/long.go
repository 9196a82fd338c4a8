package testkit

import (
	"os"
	"testing"
)

// LongVariable is the environment variable that makes tests take as long as
// they need; see Long.
const LongVariable = "TFPARSE_LONG"

// Long reports whether a test may run for many seconds: TFPARSE_LONG is set,
// and the flag -short is not. Otherwise the test should do less, and Long
// prints what the test leaves out:
//
//	sizes := []int{100, 10_000}
//	if testkit.Long(t, "a million records") {
//		sizes = append(sizes, 1_000_000)
//	}
//
// Every contract keeps a test in the ordinary run. What Long adds is more of the
// same: more seeds, more sizes, every case in place of some.
func Long(t testing.TB, leftOut string) bool {
	t.Helper()
	if os.Getenv(LongVariable) != "" && !testing.Short() {
		return true
	}
	t.Logf("without %s: set %s=1 to run it", leftOut, LongVariable)
	return false
}

// OnlyLong skips a test that has a smaller sibling in the ordinary run, unless
// Long. The text says what the test does that takes so long.
func OnlyLong(t testing.TB, does string) {
	t.Helper()
	if os.Getenv(LongVariable) == "" || testing.Short() {
		t.Skipf("skipped: %s: set %s=1 to run it", does, LongVariable)
	}
}

// Rounds returns n, how often a test draws at random or how many bytes it makes, and an eighth of it with -short: what
// runs again for another platform, with a build tag or under the race detector is to show
// what differs there.
func Rounds(n int) int {
	if testing.Short() {
		return n / 8
	}
	return n
}

// OneGoroutine skips a test in short runs under the race detector. It is for a test that takes
// seconds there and starts no goroutine: such a test cannot have a data race. The package keeps
// other tests of the same code there, because a race build also overwrites lent memory.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Race && testing.Short() {
		t.Skip("skipped: it starts no goroutine and takes long under the race detector")
	}
}

// TimingVariable is the environment variable that lets tests judge by the clock; see Timing.
const TimingVariable = "TFPARSE_TIMING"

// Timing reports whether a test may fail because something took long: TFPARSE_TIMING is set.
// Other programs of the machine can make anything slow, so the ordinary run does not
// compare times; .ci/run does, with nothing beside it.
func Timing(t testing.TB, leftOut string) bool {
	t.Helper()
	if os.Getenv(TimingVariable) != "" {
		return true
	}
	t.Logf("without %s: set %s=1 to compare times", leftOut, TimingVariable)
	return false
}
