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

// A Set is several outputs that take their names together:
//
//	writing     each File is written on its own
//	staged      Commit has synced all local files and staged all files of stores
//	renaming    older local files are moved aside, new local files get their names, then files of stores
//	committed   old files are removed
//	gone        after an error or Abort: the older files remain
//
// No system renames several files at once. If the process dies while renaming, some names are missing, but old and
// new files are never mixed. Names of shards contain the number of shards, so readers refuse the incomplete set.
//
// If Commit fails, or Drop is called before it succeeds, files of stores that already have their names are removed;
// older files of those names are lost.
type Set struct {
	Files     []*File     // in the order of the names passed to CreateSet
	committed atomic.Bool // Commit has succeeded
}

// CreateSet begins files, as Create does. The names must differ.
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
	if s.committed.Load() {
		return
	}
	for _, f := range s.Files {
		if f.output == nil {
			f.Drop()
		}
	}
	s.eachRemote(func(f *File) error {
		f.output.Abort()
		return f.output.Undo()
	})
}

// maxRequests is how many files of stores are handled at once: each takes one or a few requests.
const maxRequests = 16

// eachRemote calls do for each file of a store, several at once, and returns the errors.
func (s *Set) eachRemote(do func(*File) error) error {
	var running sync.WaitGroup
	queue := make(chan *File)
	errs := make([]error, maxRequests)
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
		if f.output != nil {
			queue <- f
		}
	}
	close(queue)
	running.Wait()
	return errors.Join(errs...)
}

// Commit gives the files their names. After an error no new file exists, and older files of these names remain; for
// files of stores see [Set].
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
		if err = f.syncContent(); err != nil {
			break
		}
	}
	if err == nil {
		err = s.eachRemote(func(f *File) error { return f.output.Stage() })
	}
	if err == nil {
		err = s.renameAll()
	}
	s.committed.Store(err == nil)
	for _, f := range s.Files {
		f.done = true
		if f.output != nil && err != nil {
			f.output.Abort()
		}
		if f.file == nil || f.target == "" {
			continue
		}
		if canRenameOpen {
			f.file.Close() // releases the lock
		}
		if err != nil {
			os.Remove(f.file.Name())
		}
	}
	if err != nil {
		return err
	}
	dirs := map[string]bool{}
	for _, f := range s.Files {
		if dir, _ := filepath.Split(f.target); f.file != nil && f.target != "" && !dirs[dir] {
			dirs[dir] = true
			syncDir(dir)
		}
	}
	return nil
}

// syncContent syncs the file, so that only its name is missing. It closes a file that is written directly.
func (f *File) syncContent() error {
	if f.done {
		return fs.ErrClosed
	}
	if f.output != nil {
		return nil
	}
	if f.target == "" {
		f.done = true
		return f.file.Close()
	}
	err := f.file.Sync()
	if !canRenameOpen {
		err = errors.Join(err, f.file.Close())
	}
	return err
}

// renameAll renames all files, or none.
func (s *Set) renameAll() (err error) {
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
		err = errors.Join(err, s.eachRemote(func(f *File) error { return f.output.Undo() }))
		for _, f := range s.Files[:placed] {
			if f.file != nil && f.target != "" {
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
		if f.file == nil || f.target == "" {
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
		if f.file != nil && f.target != "" {
			if err := os.Rename(f.file.Name(), f.target); err != nil {
				return fmt.Errorf("%s: %w", f.target, err)
			}
		}
		placed++
	}
	return s.eachRemote(func(f *File) error { return f.output.Commit() })
}
