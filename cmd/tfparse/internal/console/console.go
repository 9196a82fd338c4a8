// Package console prints messages of one line and progress for a person. Both go to standard error.
package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
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

// Over returns a writer to w that takes the progress line off the screen before it writes,
// for output that goes to the same terminal.
func (c *Console) Over(w io.Writer) io.Writer { return over{c, w} }

type over struct {
	c *Console
	w io.Writer
}

func (o over) Write(p []byte) (int, error) {
	o.c.mu.Lock()
	defer o.c.mu.Unlock()
	o.c.clear()
	return o.w.Write(p)
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) (is bool) {
	withFile(stream, func(fd int) { is = term.IsTerminal(fd) })
	return is
}

// CanErase reports whether a stream is a terminal on which a line can be drawn again.
func CanErase(stream any) bool { return IsTerminal(stream) && os.Getenv("TERM") != "dumb" }

// Width returns how many columns the terminal has that a stream is; 80 if it is none.
func Width(stream any) int {
	columns := 0
	withFile(stream, func(fd int) { columns, _, _ = term.GetSize(fd) })
	if columns <= 0 {
		return 80
	}
	return columns
}

// withFile calls f with the descriptor of a stream that is a file. The file's method Fd would
// make reads from it block for good.
func withFile(stream any, f func(fd int)) {
	file, ok := stream.(*os.File)
	if !ok {
		return
	}
	if conn, err := file.SyscallConn(); err == nil {
		conn.Control(func(fd uintptr) { f(int(fd)) })
	}
}
