package tfrecord

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
)

// A ReadCloser is a [Reader] of a file.
type ReadCloser struct {
	*Reader
	file *os.File
}

// Open opens a file of records. The name in positions is name, unless opts
// gives another.
func Open(name string, opts *ReaderOptions) (*ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	var o ReaderOptions
	if opts != nil {
		o = *opts
	}
	if o.Name == "" {
		o.Name = name
	}
	return &ReadCloser{Reader: NewReader(f, &o), file: f}, nil
}

// Close closes the file. A record on loan is no longer good.
func (rc *ReadCloser) Close() error {
	rc.endLoan()
	return rc.file.Close()
}

// A FileWriter is a [Writer] of a file that comes to be when it is complete.
type FileWriter struct {
	*Writer
	file *os.File
	name string // the final name, links followed
	temp string // the name until Close; "" when written in place
	done bool
}

// Create makes a file of records. The records go to a new file beside name,
// which takes its place when Close has written and synced everything. Until
// then, and when writing fails or is given up, what was at name stays. A file
// that is no regular one, such as a device or a pipe, is written to directly.
// Where name is a symbolic link, the file it leads to is meant, there or not.
func Create(name string, opts *WriterOptions) (*FileWriter, error) {
	target, err := follow(name)
	if err != nil {
		return nil, err
	}
	w := &FileWriter{name: target}
	mode := fs.FileMode(0o666)
	switch fi, err := os.Stat(target); {
	case err == nil && fi.IsDir():
		return nil, &fs.PathError{Op: "create", Path: name, Err: errors.New("is a directory")}
	case err == nil && !fi.Mode().IsRegular():
		w.file, err = os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	default:
		if err == nil {
			mode = fi.Mode().Perm()
		}
		if w.file, err = createBeside(target, mode); err != nil {
			// The name that was asked for says more than the temporary one.
			if pe, ok := errors.AsType[*fs.PathError](err); ok {
				err = &fs.PathError{Op: "create", Path: name, Err: pe.Err}
			}
			return nil, err
		}
		w.temp = w.file.Name()
		if fi != nil {
			os.Chmod(w.temp, mode) // the umask took bits that the old file had; not worth failing for
		}
	}
	w.Writer = NewWriter(w.file, opts)
	if w.Writer.err != nil { // settings that no codec takes
		return nil, errors.Join(w.Writer.err, w.Abort())
	}
	return w, nil
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

// createBeside makes a new file with a name of its own in the directory of
// target, hidden from the globs that look for data, and short where that of the
// target is as long as a name may be. Unlike os.CreateTemp it leaves the
// permissions to the umask.
func createBeside(target string, mode fs.FileMode) (*os.File, error) {
	dir, _ := filepath.Split(target)
	for range 1000 {
		name := dir + fmt.Sprintf(".tfrecord-%08x.tmp", rand.Uint32())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "create", Path: target, Err: fs.ErrExist}
}

// Close ends the stream, syncs the file and gives it its name. If anything
// fails, now or at an earlier write, there is no new file and Close returns
// the error. After Abort it does nothing.
func (w *FileWriter) Close() error {
	if w.done {
		return nil
	}
	w.done = true
	err := w.Writer.Close()
	if w.temp == "" {
		return errors.Join(err, w.file.Close())
	}
	if err == nil {
		err = w.file.Sync()
	}
	if e := w.file.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(w.temp, w.name)
	}
	if err != nil {
		os.Remove(w.temp)
		return err
	}
	dir, _ := filepath.Split(w.name)
	return syncDir(dir)
}

// Abort gives the file up: what was at its name stays. After Close it does
// nothing, so it can be deferred.
func (w *FileWriter) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	w.Writer.err = errWriterClosed
	err := w.file.Close()
	if w.temp != "" {
		err = errors.Join(err, os.Remove(w.temp))
	}
	return err
}

// syncDir makes a rename in dir last. Windows has no such call, and some file
// systems refuse it: the file is whole in any case.
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
	d.Sync()
	return d.Close()
}
