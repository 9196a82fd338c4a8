// Package console is what the command tells a person: messages of one line,
// and progress. Both go to standard error.
package console

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Console prints messages. Its methods may be called by several goroutines
// at once.
type Console struct {
	name string

	mu    sync.Mutex
	w     io.Writer
	drawn bool // a progress line is on the screen
}

// New returns a Console that begins every message with the name of the command.
func New(w io.Writer, name string) *Console {
	return &Console{name: name, w: w}
}

// Print writes one message on a line of its own.
func (c *Console) Print(message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	fmt.Fprintf(c.w, "%s: %s\n", c.name, OneLine(message))
}

// OneLine makes text fit for one line of a terminal: control characters and
// bytes that are not UTF-8, as they come with names of files and features, are
// written as escapes.
func OneLine(s string) string {
	unfit := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	if strings.IndexFunc(s, unfit) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		s = s[n:]
	}
	return b.String()
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	if runtime.GOOS == "windows" {
		return isConsole(f)
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	// A terminal is a character device, and the only one that people redirect
	// to but for these.
	for _, device := range []string{os.DevNull, "/dev/zero", "/dev/full"} {
		if other, err := os.Stat(device); err == nil && os.SameFile(info, other) {
			return false
		}
	}
	return true
}
