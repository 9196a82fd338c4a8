package tfrecordio

import (
	"encoding/binary"
	"errors"
)

// chunkSize is how many bytes of records are one element between workers, about. Engines spend much on an element: prism, which keeps
// all of them in memory, took 45 times the bytes of records of 50 bytes when each was an element.
const chunkSize = 64 << 10

// chunkMemory is what the open chunks of all shards may take.
const chunkMemory = 16 << 20

// A chunker makes elements of many records of a shard, each behind its key and its length.
type chunker struct {
	size int
	open [][]byte // by shard
}

func newChunker(shards int) *chunker {
	return &chunker{size: min(chunkSize, chunkMemory/shards), open: make([][]byte, shards)}
}

// add adds a record with a key of numbers.
func (c *chunker) add(shard int, rec []byte, emit func(int, []byte), key ...uint64) {
	b := c.open[shard]
	for _, k := range key {
		b = binary.BigEndian.AppendUint64(b, k)
	}
	b = binary.AppendUvarint(b, uint64(len(rec)))
	b = append(b, rec...)
	if c.open[shard] = b; len(b) >= c.size {
		emit(shard, b)
		c.open[shard] = nil // what was emitted is kept
	}
}

// flush emits what is not yet emitted.
func (c *chunker) flush(emit func(int, []byte)) {
	for shard, b := range c.open {
		if len(b) > 0 {
			emit(shard, b)
			c.open[shard] = nil
		}
	}
}

// eachRecord calls do for the records of chunks, which have keys of a fixed size.
func eachRecord(key int, chunks func(*[]byte) bool, do func(key, rec []byte) error) error {
	var b []byte
	for chunks(&b) {
		for len(b) > 0 {
			if len(b) < key {
				return errChunk
			}
			n, size := binary.Uvarint(b[key:])
			if size <= 0 || n > uint64(len(b)-key-size) {
				return errChunk
			}
			end := key + size + int(n)
			if err := do(b[:key], b[key+size:end]); err != nil {
				return err
			}
			b = b[end:]
		}
	}
	return nil
}

var errChunk = errors.New("tfrecordio: not records of a shard")
