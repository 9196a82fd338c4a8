package tfrecordio

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/tfparse/tfparse/internal/storage"
)

// A source is an open file of any file system.
type source struct {
	io.Reader
	close []func() error
	at    io.ReaderAt // nil where bytes cannot be read at a place
	size  int64       // with at
	mod   time.Time   // with at; zero: unknown, or of no use
}

// open opens a file. Where package storage has a store for the scheme, that is preferred to Beam's file system:
// it resumes a reading that breaks off, reads one version of the object, and reads at a place.
func open(ctx context.Context, name string) (*source, error) {
	if storage.Remote(name) {
		f, err := storage.OpenContext(ctx, name)
		if err != nil {
			return nil, err
		}
		s := &source{Reader: f, close: []func() error{f.Close}}
		if info, err := f.Stat(); err == nil {
			s.at, s.size = f, info.Size()
		}
		return s, nil
	}
	fsys, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("tfrecordio: %w", err)
	}
	// The context ends the requests behind a reader that is closed before its end.
	ctx, cancel := context.WithCancel(ctx)
	f, err := fsys.OpenRead(ctx, name)
	if err != nil {
		cancel()
		fsys.Close()
		return nil, err
	}
	s := &source{Reader: f, close: []func() error{f.Close, func() error { cancel(); return nil }, fsys.Close}}
	if f, ok := f.(storage.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			s.at, s.size, s.mod = f, info.Size(), info.ModTime()
		}
	}
	return s, nil
}

// Close closes the file.
func (s *source) Close() error {
	var first error
	for _, c := range s.close {
		if err := c(); first == nil {
			first = err
		}
	}
	return first
}
