package browser

import (
	"os"
	"strings"
	"testing"
	"time"
)

// behave makes the program of this test do something else, in place of a browser.
const behave = "TFPARSE_TEST_BEHAVE"

func TestMain(m *testing.M) {
	switch os.Getenv(behave) {
	case "fail":
		os.Stderr.WriteString("no display\n")
		os.Exit(1)
	case "hang":
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// TestNoBrowser holds that what is no browser is told so, and not waited for.
func TestNoBrowser(t *testing.T) {
	t.Setenv(Variable, "no such program")
	if _, err := Find(); err == nil {
		t.Error("a program that is not there was found")
	}
	if !canStart {
		t.Skip("skipped: pipes to a browser are not made on this system")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		behaviour string
		timeout   time.Duration
		say       string
	}{{"fail", time.Hour, "no display"}, {"hang", 300 * time.Millisecond, "killed after 300ms"}} {
		t.Setenv(behave, c.behaviour)
		done := make(chan error, 1)
		go func() {
			_, err := Start(program, t.TempDir(), c.timeout)
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), c.say) {
				t.Errorf("%s: %v, wanted %q", c.behaviour, err, c.say)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: nobody gave up", c.behaviour)
		}
	}
}
