// Package atomicfile writes files that appear under their name whole or not at all.
//
// A File is written under a hidden name beside its target, and takes the
// target's name on Commit, after it has reached the disk. A program that dies
// half way leaves the old file as it was, and at worst the hidden one, which the
// next run that writes the same target removes. The hidden name has that of the
// target in it.
//
// A target that exists and is no regular file (a device, a pipe) is written
// directly: it has no earlier content to keep. So is one that this process has
// open already, as /dev/fd/3: what the shell has set up there, the end of a file
// for example, is kept.
//
// A Set is several files that take their names together.
//
// A file of a store has no hidden name: the store keeps what is written until Commit.
//
// tfrecord.Create, dataset.Create and every output of the command are written with it.
package atomicfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/tfparse/tfparse/internal/storage"
)

// A File is an output under way. Its methods may be called by several
// goroutines at once, so that one can abort what another writes.
type File struct {
	mu     sync.Mutex
	f      *os.File
	remote storage.Output // instead of f: an output of a store
	target string         // "": written directly
	done   bool
}

// Create begins the file called name. It does not touch a file of that name
// before Commit. Where name is a symbolic link, the file it leads to is meant,
// there or not. The new file has the permissions of the one it replaces. A name of a store that is registered in
// package storage is the store's to create.
func Create(name string) (*File, error) {
	if storage.Remote(name) {
		out, err := storage.Create(name)
		if err != nil {
			return nil, err
		}
		return &File{remote: out, target: storage.Clean(name)}, nil
	}
	if n, ok := descriptor(name); ok {
		f, err := duplicate(n, name)
		if err != nil {
			return nil, err
		}
		return &File{f: f}, nil
	}
	// Looked at before links are followed: that of a pipe leads to no name.
	if info, err := os.Stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &File{f: f}, nil
	}
	perm := fs.FileMode(0o666)
	target, err := follow(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(target)
	switch {
	case err == nil && info.IsDir():
		return nil, &fs.PathError{Op: "create", Path: name, Err: errors.New("is a directory")}
	case err == nil:
		perm = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}

	removeStale(target)
	for range 100 {
		hidden := hiddenName(target, rand.Uint32())
		f, err := os.OpenFile(hidden, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			// The name that was asked for says more than the hidden one.
			if pe, ok := errors.AsType[*fs.PathError](err); ok {
				err = &fs.PathError{Op: "create", Path: name, Err: pe.Err}
			}
			return nil, err
		}
		if !claim(f) {
			f.Close()
			os.Remove(hidden)
			continue
		}
		if info != nil {
			os.Chmod(hidden, perm) // the umask took bits that the old file had; not worth failing for
		}
		return &File{f: f, target: target}, nil
	}
	return nil, &fs.PathError{Op: "create", Path: name, Err: errors.New("no free temporary name")}
}

// follow returns the name of the file that name leads to through symbolic links,
// which need not be there.
func follow(name string) (string, error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		return target, nil
	}
	target := name
	for range 255 {
		link, err := os.Readlink(target)
		if err != nil {
			return target, nil // no link, or nothing
		}
		if !filepath.IsAbs(link) {
			// Not joined by filepath.Join: to take back a directory that is a
			// link leads elsewhere than to leave its name out.
			dir, _ := filepath.Split(target)
			link = dir + link
		}
		target = link
	}
	return "", &fs.PathError{Op: "create", Path: name, Err: errors.New("too many links")}
}

// Write writes p.
func (f *File) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.remote != nil {
		return f.remote.Write(p)
	}
	return f.f.Write(p)
}

// Commit gives the file its name. After an error there is no file, and a file
// of that name is as it was.
func (f *File) Commit() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return fs.ErrClosed
	}
	f.done = true
	if f.remote != nil {
		err := f.remote.Stage()
		if err == nil {
			err = f.remote.Commit()
		}
		if err != nil {
			f.remote.Abort()
		}
		return err
	}
	if f.target == "" {
		return f.f.Close()
	}
	err := f.f.Sync()
	if !renamesOpen {
		err = errors.Join(err, f.f.Close())
	}
	if err == nil {
		err = os.Rename(f.f.Name(), f.target)
	}
	if renamesOpen {
		// The lock goes with the descriptor, and nothing may take the file for a stale
		// one before it has its name. Its bytes have reached the disk, so that an error
		// here says nothing about them.
		f.f.Close()
	}
	if err != nil {
		os.Remove(f.f.Name())
		return err
	}
	dir, _ := filepath.Split(f.target)
	return syncDir(dir)
}

// Abort drops the file. After Commit or another Abort it does nothing.
func (f *File) Abort() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.abort()
}

// Drop is Abort for the end of the process: it does not wait for a write that
// another goroutine hangs in.
func (f *File) Drop() {
	if f.remote != nil {
		f.remote.Abort()
	} else if f.mu.TryLock() {
		defer f.mu.Unlock()
		f.abort()
	} else if f.target != "" {
		os.Remove(f.f.Name())
	}
}

func (f *File) abort() {
	if f.done {
		return
	}
	f.done = true
	if f.remote != nil {
		f.remote.Abort()
		return
	}
	f.f.Close()
	if f.target != "" {
		os.Remove(f.f.Name())
	}
}

// syncDir makes a new name last. Not every file system can; the file itself is
// safe by then, so that is no error.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	if dir == "" {
		dir = "."
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	d.Sync()
	return nil
}
