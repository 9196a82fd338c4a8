// Package atomicfile writes files that appear under their name complete or not at all.
//
// A File is written under a hidden name beside its target, and takes the target's name on Commit, after it was synced. A process
// that dies before leaves the old file as it was, and the hidden one, which the next run that writes the same target removes. The
// hidden name contains that of the target.
//
// A target that exists and is not a regular file (a device, a pipe) is written directly: it has no older content to keep. So is a
// file descriptor of this process, as /dev/fd/3: its position in the file, which the shell has set up, is kept.
//
// A Set is several files that take their names together.
//
// A file of a store has no hidden name: the store keeps what is written until Commit.
//
// tfrecord.Create, dataset.Create and every output of the command use it.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"

	"github.com/tfparse/tfparse/internal/storage"
)

// A File is an output in progress. Its methods may be called by several goroutines, so that one can abort what
// another writes.
//
//	writing     Write; Commit: committed, or gone after an error; Abort, Drop: gone
//	committed   the content is synced and has its name
//	gone        there is no new file; an old one of that name remains
type File struct {
	mu     sync.Mutex     // guards file and done; held during Write
	file   *os.File       // the hidden file, or the target itself if target is ""
	output storage.Output // instead of file: an output of a store
	target string         // name after Commit; "": written directly
	done   bool           // committed or gone
}

// Create begins the file called name. It does not touch a file of that name before Commit. If name is a symbolic
// link, its target is created or replaced. The new file has the permissions of the one it replaces. A name of a
// registered store is created by that store.
func Create(name string) (*File, error) {
	if storage.Remote(name) {
		out, err := storage.Create(name)
		if err != nil {
			return nil, err
		}
		return &File{output: out, target: storage.Clean(name)}, nil
	}
	if n, ok := descriptorNumber(name); ok {
		f, err := duplicateDescriptor(n, name)
		if err != nil {
			return nil, err
		}
		return &File{file: f}, nil
	}
	// Looked at before links are followed: that of a pipe leads to no name.
	if info, err := os.Stat(name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &File{file: f}, nil
	}
	perm := fs.FileMode(0o666)
	target, err := resolveLinks(name)
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
		if !claimHidden(f) {
			f.Close()
			os.Remove(hidden)
			continue
		}
		if info != nil {
			os.Chmod(hidden, perm) // the umask took bits that the old file had; not worth failing for
		}
		return &File{file: f, target: target}, nil
	}
	return nil, &fs.PathError{Op: "create", Path: name, Err: errors.New("no free temporary name")}
}

// resolveLinks returns the name of the file that name leads to through symbolic links, which may not exist.
func resolveLinks(name string) (string, error) {
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
	if f.output != nil {
		return f.output.Write(p)
	}
	return f.file.Write(p)
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
	if f.output != nil {
		err := f.output.Stage()
		if err == nil {
			err = f.output.Commit()
		}
		if err != nil {
			f.output.Abort()
		}
		return err
	}
	if f.target == "" {
		return f.file.Close()
	}
	err := f.file.Sync()
	if !canRenameOpen {
		err = errors.Join(err, f.file.Close())
	}
	if err == nil {
		err = os.Rename(f.file.Name(), f.target)
	}
	if canRenameOpen {
		// The lock goes with the descriptor, and nothing may take the file for a stale
		// one before it has its name. Its bytes have reached the disk, so that an error
		// here says nothing about them.
		f.file.Close()
	}
	if err != nil {
		os.Remove(f.file.Name())
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

// Drop is Abort at the end of the process: it does not wait for a write that blocks another goroutine.
func (f *File) Drop() {
	if f.output != nil {
		f.output.Abort()
	} else if f.mu.TryLock() {
		defer f.mu.Unlock()
		f.abort()
	} else if f.target != "" {
		os.Remove(f.file.Name())
	}
}

// abort is Abort with mu held.
func (f *File) abort() {
	if f.done {
		return
	}
	f.done = true
	if f.output != nil {
		f.output.Abort()
		return
	}
	f.file.Close()
	if f.target != "" {
		os.Remove(f.file.Name())
	}
}

// syncDir makes a new name durable. Not every file system can; the content is safe by then, so it returns no error.
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

var descriptorName = regexp.MustCompile(`^(?:/dev/fd|/proc/(?:self|thread-self|(\d+))/fd)/(\d{1,6})$`)

// descriptorNumber returns the file descriptor that a name refers to, as /dev/fd/3, or one to which a link of such
// a name leads, as /dev/stdout. Opening such a name would be wrong: Linux opens the file anew, at its beginning,
// and has no name for a pipe.
func descriptorNumber(name string) (n int, ok bool) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		return 0, false
	}
	for range 16 {
		name = filepath.Clean(name)
		switch name {
		case "/dev/stdout":
			return 1, true
		case "/dev/stderr":
			return 2, true
		}
		if m := descriptorName.FindStringSubmatch(name); m != nil && (m[1] == "" || m[1] == strconv.Itoa(os.Getpid())) {
			n, err := strconv.Atoi(m[2])
			return n, err == nil
		}
		link, err := os.Readlink(name)
		if err != nil {
			return 0, false
		}
		if !filepath.IsAbs(link) {
			link = fmt.Sprintf("%s/%s", filepath.Dir(name), link)
		}
		name = link
	}
	return 0, false
}

// IsStdout reports whether a name refers to standard output, as /dev/stdout.
func IsStdout(name string) bool {
	n, ok := descriptorNumber(name)
	return ok && n == 1
}
