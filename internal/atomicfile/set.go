package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// A Set is several outputs under way that take their names together.
//
// Commit first brings all of them to the disk. Then it moves the files that have the names
// aside, and gives the new ones their names. No system renames several files at once: where the
// process dies between two renames, some names are missing, but none has an old file beside
// new ones. So a set of shards, which names its size, is then incomplete, which readers
// refuse, and never a mixture. After an error everything is as it was.
type Set struct {
	Files []*File
}

// CreateSet begins files, as Create does for each of them. The names must differ.
func CreateSet(names []string) (*Set, error) {
	s := &Set{}
	seen := map[string]bool{}
	for _, name := range names {
		f, err := Create(name)
		if err == nil && f.target != "" && seen[f.target] {
			f.Abort()
			err = &fs.PathError{Op: "create", Path: name, Err: errors.New("is given twice")}
		}
		if err != nil {
			s.Abort()
			return nil, err
		}
		seen[f.target] = true
		s.Files = append(s.Files, f)
	}
	return s, nil
}

// Abort drops the files.
func (s *Set) Abort() {
	for _, f := range s.Files {
		f.Abort()
	}
}

// Drop is File.Drop for all files.
func (s *Set) Drop() {
	for _, f := range s.Files {
		f.Drop()
	}
}

// Commit gives the files their names. After an error there is none of them, and files of these
// names are as they were.
func (s *Set) Commit() error {
	if len(s.Files) == 1 {
		return s.Files[0].Commit()
	}
	for _, f := range s.Files {
		f.mu.Lock()
		defer f.mu.Unlock()
	}
	var err error
	for _, f := range s.Files {
		if err = f.settle(); err != nil {
			break
		}
	}
	if err == nil {
		err = s.place()
	}
	for _, f := range s.Files {
		f.done = true
		if f.target == "" {
			continue
		}
		if renamesOpen {
			f.f.Close() // with it goes the lock
		}
		if err != nil {
			os.Remove(f.f.Name())
		}
	}
	if err != nil {
		return err
	}
	dirs := map[string]bool{}
	for _, f := range s.Files {
		if dir, _ := filepath.Split(f.target); f.target != "" && !dirs[dir] {
			dirs[dir] = true
			syncDir(dir)
		}
	}
	return nil
}

// settle brings the file to the disk, so that only its name is missing.
func (f *File) settle() error {
	if f.done {
		return fs.ErrClosed
	}
	if f.target == "" {
		f.done = true
		return f.f.Close()
	}
	err := f.f.Sync()
	if !renamesOpen {
		err = errors.Join(err, f.f.Close())
	}
	return err
}

// place renames all files, or none.
func (s *Set) place() (err error) {
	aside := make([]string, len(s.Files))
	placed := 0
	defer func() {
		if err == nil {
			for _, name := range aside {
				if name != "" {
					os.Remove(name)
				}
			}
			return
		}
		for _, f := range s.Files[:placed] {
			if f.target != "" {
				os.Remove(f.target)
			}
		}
		for i, name := range aside {
			if name != "" {
				err = errors.Join(err, os.Rename(name, s.Files[i].target))
			}
		}
	}()
	for i, f := range s.Files {
		if f.target == "" {
			continue
		}
		if _, statErr := os.Lstat(f.target); errors.Is(statErr, fs.ErrNotExist) {
			continue
		}
		name := hiddenName(f.target, rand.Uint32())
		if err := os.Rename(f.target, name); err != nil {
			return err
		}
		aside[i] = name
	}
	for _, f := range s.Files {
		if f.target != "" {
			if err := os.Rename(f.f.Name(), f.target); err != nil {
				return fmt.Errorf("%s: %w", f.target, err)
			}
		}
		placed++
	}
	return nil
}
