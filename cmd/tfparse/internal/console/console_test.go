package console

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain, and ünïcode 味噌": "plain, and ünïcode 味噌",
		"two\nlines\ttab\r":     `two\nlines\ttab\x0d`,
		"\x1b[2Jgone":           `\x1b[2Jgone`,
		"\xff\xfe":              `\xff\xfe`,
		"\u202eright to left":   `\u202eright to left`,
		"\ufffd":                "\ufffd",
		"":                      "",
	} {
		if got := OneLine(in); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
}

// A message displaces the progress line, as output to the same terminal does, and it is gone
// at the end.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	c := New(&b, "cmd")
	p := &Progress{Total: 3 << 20}
	p.More(1 << 20)
	p.Bytes(1 << 20)
	p.Records(7)
	c.draw(p.line(2*time.Second, 80))
	c.Print("a message")
	p.Bytes(9 << 20) // more than was thought
	c.draw(p.line(2*time.Second, 80))
	fmt.Fprint(c.Over(&b), "output\n")
	c.draw("again")
	c.Hide()
	c.Hide()
	const wipe = "\r\x1b[K"
	want := " 25%  [#####---------------]  1.0 of 4.0 MiB  7 records  512.0 KiB/s  0:06 left" + wipe + "cmd: a message\n" +
		"100%  [#####################]  10.0 of 4.0 MiB  7 records  5.0 MiB/s  0:00 left" + wipe + "output\nagain" + wipe
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	p = nil
	p.Bytes(1) // counts nothing
	p.Records(1)
}

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		proves  string
		total   int64
		bytes   int
		elapsed time.Duration
		columns int
		want    string
	}{
		{"no bar without a total", 0, 3 << 20, 2 * time.Second, 80, "3.0 MiB  5 records  1.5 MiB/s"},
		{"no end is foretold at once", 8 << 30, 1 << 30, time.Second / 2, 60, " 12%  [#------------]  1.0 of 8.0 GiB  5 records  2.0 GiB/s"},
		{"hours", 8 << 30, 1 << 20, 2 * time.Second, 100, "  0%  [------------------------------]  0.0 of 8.0 GiB  5 records  512.0 KiB/s  4:33:02 left"},
		{"nothing was read", 8 << 30, 0, 2 * time.Second, 60, "  0%  [-------------]  0.0 of 8.0 GiB  5 records  0.0 KiB/s"},
		{"a narrow terminal has no bar", 2 << 20, 1 << 20, 2 * time.Second, 50, " 50%  1.0 of 2.0 MiB  512.0 KiB/s  0:02 left"},
		{"a line is never as wide as the terminal", 2 << 20, 1 << 20, 2 * time.Second, 20, " 50%  1.0 of 2.0 Mi"},
		{"one column", 2 << 20, 1 << 20, 2 * time.Second, 1, ""},
	} {
		p := &Progress{Total: c.total}
		p.Bytes(c.bytes)
		p.Records(5)
		if got := p.line(c.elapsed, c.columns); got != c.want || len(got) >= c.columns {
			t.Errorf("%s: got %q, want %q", c.proves, got, c.want)
		}
	}
}

// Show draws in time, while others print, and leaves nothing on the line.
func TestShow(t *testing.T) {
	var b safeBuffer
	c := New(&b, "cmd")
	hide := c.Show(&Progress{})
	for range 3000 { // as a rule some twenty
		c.Print("m")
		if time.Sleep(10 * time.Millisecond); strings.Contains(b.String(), "KiB/s") {
			break
		}
	}
	hide()
	got := b.String()
	if !strings.Contains(got, "KiB/s") || !strings.HasSuffix(got, "\x1b[K") && !strings.HasSuffix(got, "\n") {
		t.Errorf("got %q", got)
	}
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestIsTerminal(t *testing.T) {
	if IsTerminal(io.Discard) || IsTerminal((*os.File)(nil)) {
		t.Error("what is no file is a terminal")
	}
	for _, name := range []string{os.DevNull, "/dev/zero", "/dev/full", "console_test.go"} {
		f, err := os.Open(name)
		if err != nil {
			t.Logf("without %s: %v", name, err)
			continue
		}
		if IsTerminal(f) {
			t.Errorf("%s is a terminal", name)
		}
		f.Close()
	}
	if f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		t.Log("without a pseudo-terminal: ", err)
	} else {
		if !IsTerminal(f) {
			t.Error("a pseudo-terminal is no terminal")
		}
		f.Close()
	}
}
