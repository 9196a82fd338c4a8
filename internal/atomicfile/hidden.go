package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxBase is the maximum number of bytes of a target's name in a hidden name. Most file systems limit names to 255
// bytes.
const maxBase = 230

var hiddenSuffix = regexp.MustCompile(`^\.tfparse-[0-9a-f]{8}\.tmp$`)

// hiddenPrefix returns the beginning of the hidden names beside a target.
func hiddenPrefix(target string) (dir, prefix string) {
	dir, base := filepath.Split(target)
	if len(base) > maxBase {
		cut := maxBase
		for cut > 0 && !utf8.RuneStart(base[cut]) {
			cut-- // some file systems reject incomplete UTF-8
		}
		base = base[:cut]
	}
	return dir, "." + base
}

// hiddenName returns a hidden name for a target.
func hiddenName(target string, n uint32) string {
	dir, prefix := hiddenPrefix(target)
	return dir + fmt.Sprintf("%s.tfparse-%08x.tmp", prefix, n)
}

// removeStale removes the hidden files of killed processes beside a target. Files of running processes are locked,
// and remain. It ignores errors.
func removeStale(target string) {
	dir, prefix := hiddenPrefix(target)
	at := dir
	if at == "" {
		at = "."
	}
	d, err := os.Open(at)
	if err != nil {
		return
	}
	names, _ := d.Readdirnames(-1)
	d.Close()
	for _, name := range names {
		if suffix, ok := strings.CutPrefix(name, prefix); ok && hiddenSuffix.MatchString(suffix) {
			removeUnclaimed(dir + name)
		}
	}
}

// A Scratch is a temporary file beside a target. On Unix it has no name, so that nothing remains if the process
// dies. On other systems it has a hidden name until Close. If the process dies on Windows, the next process that
// writes the target removes it.
type Scratch struct{ *os.File }

// NewScratch makes an empty Scratch. Other users cannot read it.
func NewScratch(target string) (*Scratch, error) {
	name, err := resolveLinks(target)
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
		if !claimHidden(f) {
			f.Close()
			os.Remove(hidden)
			continue
		}
		if canRenameOpen {
			os.Remove(hidden)
		}
		return &Scratch{f}, nil
	}
	return nil, &fs.PathError{Op: "create", Path: target, Err: errors.New("no free temporary name")}
}

// Close closes and removes the file.
func (s *Scratch) Close() error {
	err := s.File.Close()
	if !canRenameOpen {
		os.Remove(s.Name())
	}
	return err
}
