package testkit

import (
	"fmt"
	"strings"
	"testing"
)

// A logTest is a test that keeps what it is given to print.
type logTest struct {
	testing.TB
	logged  string
	skipped bool
}

func (l *logTest) Helper()                          {}
func (l *logTest) Logf(format string, args ...any)  { l.logged += fmt.Sprintf(format, args...) }
func (l *logTest) Skipf(format string, args ...any) { l.Logf(format, args...); l.skipped = true }

// What is left out says so, and how to run it; with the variable nothing is.
func TestLong(t *testing.T) {
	for _, value := range []string{"", "1"} {
		t.Setenv(LongVariable, value)
		want := value == "1" && !testing.Short()
		l := &logTest{TB: t}
		if got := Long(l, "a million records"); got != want {
			t.Errorf("%q: Long is %v, want %v", value, got, want)
		}
		if says := strings.Contains(l.logged, "without a million records") && strings.Contains(l.logged, "TFPARSE_LONG=1"); says == want {
			t.Errorf("%q: logged %q", value, l.logged)
		}
		l = &logTest{TB: t}
		if OnlyLong(l, "a million records"); l.skipped == want || (l.logged == "") != want {
			t.Errorf("%q: skipped %v, logged %q", value, l.skipped, l.logged)
		}
	}
}
