package scan

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
)

// A Snapshot is a directory that tf.data's Dataset.save wrote. Its records are in DIR/RUN/NNNNNNNN.shard/NNNNNNNN.snapshot, one
// for each component of an element.
type Snapshot struct {
	Dir      string         // the directory
	DTypes   []tensor.DType // of the components of an element
	Elements int64          // number of elements
	Names    []string       // of the components: keys and indices in an element, joined by /; nil: unknown

	run string // name of the directory of the run that finished
}

// metadataFile is the SnapshotMetadataRecord in a Snapshot.
const metadataFile = "snapshot.metadata"

// ReadSnapshot reads the metadata of a directory of Dataset.save. ok is false for any other name.
func ReadSnapshot(dir string) (s Snapshot, ok bool) {
	if storage.Remote(dir) {
		return s, false
	}
	b, err := storage.ReadFile(storage.Join(dir, metadataFile))
	if err != nil {
		return s, false
	}
	s.Dir = dir
	for i := 0; i < len(b); {
		f, next := wire.Next(b, i)
		if next < 0 {
			return s, false
		}
		v, _ := wire.Varint(b, f.Lo)
		switch i = next; {
		case f.Num == 2 && f.Type == wire.TypeBytes:
			s.run = string(b[f.Lo:f.Hi])
		case f.Num == 5 && f.Type == wire.TypeBytes: // packed
			for j := f.Lo; j < f.Hi; {
				if v, j = wire.Varint(b[:f.Hi], j); j < 0 {
					return s, false
				}
				s.DTypes = append(s.DTypes, tensor.DType(v))
			}
		case f.Num == 5 && f.Type == wire.TypeVarint:
			s.DTypes = append(s.DTypes, tensor.DType(v))
		case f.Num == 6 && f.Type == wire.TypeVarint:
			s.Elements = int64(v)
		}
	}
	s.readNames()
	return s, s.run != "" && filepath.IsLocal(s.run) && !strings.ContainsAny(s.run, `/\`)
}

// files returns the files with records, shard by shard.
func (s *Snapshot) files() (names []string, err error) {
	run := storage.Join(s.Dir, s.run)
	shards, err := storage.ReadDir(context.Background(), run)
	if err != nil {
		return nil, Named(run, err)
	}
	for _, shard := range shards {
		if !shard.IsDir() {
			continue
		}
		dir := storage.Join(run, shard.Name())
		files, err := storage.ReadDir(context.Background(), dir)
		if err != nil {
			return nil, Named(dir, err)
		}
		for _, f := range files {
			if strings.HasSuffix(f.Name(), ".snapshot") {
				names = append(names, storage.Join(dir, f.Name()))
			}
		}
	}
	if slices.Sort(names); names == nil {
		return nil, Named(run, errors.New("no .snapshot files"))
	}
	return names, nil
}
