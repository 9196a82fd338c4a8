// Package console prints one-line messages and progress for people, to standard error.
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

// A Console prints messages. Several goroutines may use it.
type Console struct {
	name string // printed before each message

	mu    sync.Mutex // guards the fields below
	w     io.Writer  // standard error
	drawn bool       // a progress line is displayed
}

// New returns a Console that prints name before each message.
func New(w io.Writer, name string) *Console {
	return &Console{name: name, w: w}
}

// Print prints a message on a line of its own.
func (c *Console) Print(message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	fmt.Fprintf(c.w, "%s: %s\n", c.name, OneLine(message))
}

// OneLine escapes control characters and invalid UTF-8, which names of files and features may have, so that text fits
// in one line of a terminal.
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

// Over returns a writer to w that erases the progress line before each write, for output to the same terminal.
func (c *Console) Over(w io.Writer) io.Writer { return eraseWriter{c, w} }

// An eraseWriter is the result of Over.
type eraseWriter struct {
	c *Console
	w io.Writer
}

func (o eraseWriter) Write(p []byte) (int, error) {
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

// CanErase reports whether a stream is a terminal on which a line can be redrawn.
func CanErase(stream any) bool { return IsTerminal(stream) && os.Getenv("TERM") != "dumb" }

// Width returns the number of columns of a terminal; 80 for other streams.
func Width(stream any) int {
	columns := 0
	withFile(stream, func(fd int) { columns, _, _ = term.GetSize(fd) })
	if columns <= 0 {
		return 80
	}
	return columns
}

// withFile calls f with the file descriptor of a stream. It does not use the method Fd, which would make the file
// blocking.
func withFile(stream any, f func(fd int)) {
	file, ok := stream.(*os.File)
	if !ok {
		return
	}
	if conn, err := file.SyscallConn(); err == nil {
		conn.Control(func(fd uintptr) { f(int(fd)) })
	}
}
