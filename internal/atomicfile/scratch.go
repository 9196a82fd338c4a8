package atomicfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
)

// A Scratch is a temporary file beside a target. Where the system allows it, it has no
// name, so that nothing is left of it when the process dies; elsewhere it has a hidden name, which Close
// removes, or the next run that writes the target.
type Scratch struct{ *os.File }

// NewScratch makes an empty Scratch. Other users cannot read it.
func NewScratch(target string) (*Scratch, error) {
	name, err := follow(target)
	if err != nil {
		return nil, err
	}
	removeStale(name)
	for range 100 {
		hidden := hiddenName(name, rand.Uint32())
		f, err := os.OpenFile(hidden, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !claim(f) {
			f.Close()
			os.Remove(hidden)
			continue
		}
		if renamesOpen {
			os.Remove(hidden)
		}
		return &Scratch{f}, nil
	}
	return nil, &fs.PathError{Op: "create", Path: target, Err: errors.New("no free temporary name")}
}

// Close closes and removes the file.
func (s *Scratch) Close() error {
	err := s.File.Close()
	if !renamesOpen {
		os.Remove(s.Name())
	}
	return err
}
