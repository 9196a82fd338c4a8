// Package atomicfile writes files that appear under their name complete or not at all.
//
// A File is written under a hidden name beside its target, and takes the target's name on Commit, after it was
// synced. If the process dies before, the old file is unchanged and the hidden file remains; the next process that
// writes the same target removes it. The hidden name contains the name of the target.
//
// A target that exists and is not a regular file (a device, a pipe) is written directly: it has no older content to
// keep. A file descriptor of this process, such as /dev/fd/3, is also written directly, from the file offset that
// the shell has set.
//
// A Set is several files that take their names together.
//
// A file of a store has no hidden name: the store shows the new content after Commit.
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
	output storage.Output // an output of a store; file is nil then
	target string         // name after Commit; "": written directly
	done   bool           // the state is committed or gone
}

// Create begins the file called name. It does not touch a file of that name before Commit. If name is a symbolic
// link, its target is created or replaced. The new file has the permissions of the one it replaces. If name belongs
// to a registered store, that store creates the file.
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
	// Before links are resolved: the link of a pipe does not resolve to a file name.
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
			os.Chmod(hidden, perm) // restores permissions that the umask removed; errors are ignored
		}
		return &File{file: f, target: target}, nil
	}
	return nil, &fs.PathError{Op: "create", Path: name, Err: errors.New("no free temporary name")}
}

// resolveLinks resolves the symbolic links of name. The file that they lead to need not exist.
func resolveLinks(name string) (string, error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		return target, nil
	}
	target := name
	for range 255 {
		link, err := os.Readlink(target)
		if err != nil {
			return target, nil // not a link, or it does not exist
		}
		if !filepath.IsAbs(link) {
			// Not filepath.Join: it removes "dir/..", which is wrong if dir is a link.
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

// Commit gives the file its name. After an error the new file is gone, and an older file of that name is unchanged.
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
		// Close releases the lock, so it comes after the rename: an unlocked hidden file counts as stale. The
		// content is synced, so an error of Close is ignored.
		f.file.Close()
	}
	if err != nil {
		os.Remove(f.file.Name())
		return err
	}
	dir, _ := filepath.Split(f.target)
	return syncDir(dir)
}

// Abort removes the new file. After Commit or another Abort it does nothing.
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

// syncDir syncs a directory, so that a new name in it is durable. Not every file system can do that. The content is
// already synced, so syncDir ignores errors and returns nil.
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

// descriptorNumber returns the file descriptor that a name such as /dev/fd/3, or a link to it such as /dev/stdout,
// refers to. Opening such a name would be wrong: Linux opens the file again, at its beginning. Resolving it fails
// for a pipe, which has no name.
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

// IsStdout reports whether a name refers to standard output, such as /dev/stdout.
func IsStdout(name string) bool {
	n, ok := descriptorNumber(name)
	return ok && n == 1
}
