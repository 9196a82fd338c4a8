package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// A Set is several outputs under way that take their names together.
//
// Commit first brings all of them to the disk. Then it moves the files that have the names
// aside, and gives the new ones their names. No system renames several files at once: where the
// process dies between two renames, some names are missing, but none has an old file beside
// new ones. So a set of shards, which names its size, is then incomplete, which readers
// refuse, and never a mixture. After an error everything is as it was.
//
// Files of stores get their names last. After an error, or where Drop comes before the last of them has its name, those that
// have theirs are removed; a file of this name that was in the store before is lost then.
type Set struct {
	Files    []*File
	complete atomic.Bool // Commit has succeeded
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
	if s.complete.Load() {
		return
	}
	for _, f := range s.Files {
		if f.remote == nil {
			f.Drop()
		}
	}
	s.remotes(func(f *File) error {
		f.remote.Abort()
		return f.remote.Undo()
	})
}

// atOnce is how many files of stores are worked on at once: each takes one or a few requests.
const atOnce = 16

// remotes calls do for each file of a store, several at once, and returns the first errors.
func (s *Set) remotes(do func(*File) error) error {
	var running sync.WaitGroup
	queue := make(chan *File)
	errs := make([]error, atOnce)
	for i := range errs {
		running.Go(func() {
			for f := range queue {
				if errs[i] == nil {
					errs[i] = do(f)
				}
			}
		})
	}
	for _, f := range s.Files {
		if f.remote != nil {
			queue <- f
		}
	}
	close(queue)
	running.Wait()
	return errors.Join(errs...)
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
		err = s.remotes(func(f *File) error { return f.remote.Stage() })
	}
	if err == nil {
		err = s.place()
	}
	s.complete.Store(err == nil)
	for _, f := range s.Files {
		f.done = true
		if f.remote != nil && err != nil {
			f.remote.Abort()
		}
		if f.f == nil || f.target == "" {
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
		if dir, _ := filepath.Split(f.target); f.f != nil && f.target != "" && !dirs[dir] {
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
	if f.remote != nil {
		return nil
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
		err = errors.Join(err, s.remotes(func(f *File) error { return f.remote.Undo() }))
		for _, f := range s.Files[:placed] {
			if f.f != nil && f.target != "" {
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
		if f.f == nil || f.target == "" {
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
		if f.f != nil && f.target != "" {
			if err := os.Rename(f.f.Name(), f.target); err != nil {
				return fmt.Errorf("%s: %w", f.target, err)
			}
		}
		placed++
	}
	return s.remotes(func(f *File) error { return f.remote.Commit() })
}
