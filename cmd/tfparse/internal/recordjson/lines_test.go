package recordjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 600<<10) // more than the buffer holds
	for text, want := range map[string]string{
		"":                      "",
		"a":                     "1:a",
		"a\n":                   "1:a",
		"a\nb":                  "1:a 2:b",
		"\n \t\n\r\na\r\n\nb\n": "4:a 6:b",
		"\ufeffa\n\ufeffb\n":    "1:a 2:\ufeffb",
		"\ufeff\na":             "2:a",
		"a\rb\r\r\n":            "1:a\rb\r",
		long + "\nb\n" + long:   "1:" + long + " 2:b 3:" + long,
	} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(text), "half": iotest.HalfReader(strings.NewReader(text)), "byte": iotest.OneByteReader(strings.NewReader(text)),
		} {
			l := NewLines(r, 0)
			var got []string
			for {
				line, err := l.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprintf("%d:%s", l.Number(), line))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%.20q, by the %s: got %.50q, want %.50q", text, name, got, want)
			}
			if _, err := l.Next(); err != io.EOF {
				t.Errorf("the end does not stick: %v", err)
			}
		}
	}
}

func TestLinesTooLong(t *testing.T) {
	for max, text := range map[int]string{
		3:       "abc\r\nabcd\n",
		4:       "abcd\nabcde",
		5:       "\n12345678\n",
		1 << 20: strings.Repeat("a", 1<<20) + "\n" + strings.Repeat("a", 1<<20+1),
	} {
		l := NewLines(strings.NewReader(text), max)
		var err error
		for err == nil {
			_, err = l.Next()
		}
		if !errors.Is(err, ErrLineTooLong) || l.Number() != 2 {
			t.Errorf("limit %d: got %v at line %d", max, err, l.Number())
		}
		if _, again := l.Next(); again != err {
			t.Errorf("the error does not stick: %v", again)
		}
	}
}

// A line without end is not read to its end.
func TestLinesLimitMemory(t *testing.T) {
	endless := &counter{}
	if _, err := NewLines(endless, 1<<20).Next(); !errors.Is(err, ErrLineTooLong) {
		t.Error(err)
	}
	if endless.n > 2<<20 {
		t.Errorf("read %d bytes", endless.n)
	}
}

type counter struct{ n int }

func (c *counter) Read(b []byte) (int, error) {
	c.n += len(b)
	return copy(b, bytes.Repeat([]byte{'a'}, len(b))), nil
}

// What comes before a fault of the stream is not taken for a line.
func TestLinesFault(t *testing.T) {
	fault := errors.New("fault")
	l := NewLines(io.MultiReader(strings.NewReader("a\n{}"), iotest.ErrReader(fault)), 0)
	if line, err := l.Next(); err != nil || string(line) != "a" {
		t.Fatalf("got %q, %v", line, err)
	}
	if line, err := l.Next(); err != fault || line != nil {
		t.Errorf("got %q, %v", line, err)
	}
}
