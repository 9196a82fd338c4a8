package scan

import (
	"bytes"
	"fmt"

	"github.com/tfparse/tfparse/example"
)

// A message is what the records of a file hold. The zero value is that of a file in which no record shows one.
type message struct {
	Type    example.MessageType // TypeAuto: none of those
	Unknown bool                // another message
	Looks   string              // of another one, in the words of [example.Identify]; "": nothing is known
}

func (m message) String() string {
	if m.Type != example.TypeAuto {
		return fmt.Sprintf("records of type %v", m.Type)
	}
	return "unknown messages" + InBrackets(m.Looks)
}

// differs reports whether records cannot be of both messages. Unknown messages may be the same.
func (m message) differs(n message) bool {
	return m.Type != n.Type || m.Looks != "" && n.Looks != "" && m.Looks != n.Looks
}

// A messageFinder finds the message of a file by its first records.
type messageFinder struct {
	first [][]byte // copies of records that are not empty, until there are enough
	size  int      // of first, in bytes
	found *message // as soon as there are enough
}

// lookBytes is how many bytes of records are enough to find their message.
const lookBytes = 64 << 10

// add is given the records in order. It reports that this one was the last that is needed.
func (f *messageFinder) add(rec []byte) (enough bool) {
	if f.found != nil || string(rec) == "" || string(rec) == "\x0a\x00" {
		return false
	}
	f.first = append(f.first, bytes.Clone(rec))
	if f.size += len(rec); len(f.first) < guessRecords && f.size < lookBytes {
		return false
	}
	m := f.result()
	f.found, f.first = &m, nil
	return true
}

// result returns what the records hold.
func (f *messageFinder) result() message {
	switch {
	case f.found != nil:
		return *f.found
	case len(f.first) == 0:
		return message{}
	}
	if t, ok := example.DetectMost(f.first); ok {
		return message{Type: t}
	}
	return message{Unknown: true, Looks: example.Identify(f.first)}
}

// fileMessages compares what files hold.
type fileMessages struct {
	file  string  // the first one that shows a message; "": none yet
	holds message // what that holds
}

// add is an error if a file holds another message than those before.
func (s *fileMessages) add(file string, m message) error {
	switch {
	case m == (message{}):
	case s.file == "":
		s.file, s.holds = file, m
	case s.holds.differs(m):
		return fmt.Errorf("%s: %v, and %s has %v; --type says what to copy", file, m, s.file, s.holds)
	}
	return nil
}
