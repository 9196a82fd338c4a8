package datasets

import (
	"fmt"
	"path/filepath"

	"github.com/tfparse/tfparse/tfrecord"
)

// WriteFiles writes the first n records to the given number of files in a folder, and returns the names of the
// files. Every file gets consecutive records.
func (s Set) WriteFiles(dir string, n, shards int, codec tfrecord.Compression) (names []string, err error) {
	m := s.NewMaker()
	var record []byte
	for shard := range shards {
		name := filepath.Join(dir, fmt.Sprintf("%s-%v-%05d-of-%05d", s.Name, codec, shard, shards))
		w, err := tfrecord.Create(name, &tfrecord.WriterOptions{Compression: codec})
		if err != nil {
			return nil, err
		}
		for i := n * shard / shards; i < n*(shard+1)/shards; i++ {
			record = m.AppendRecord(record[:0], i)
			if err := w.WriteRecord(record); err != nil {
				w.Abort() // the first error counts
				return nil, err
			}
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}
