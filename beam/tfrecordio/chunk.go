package tfrecordio

import (
	"encoding/binary"
	"errors"
)

// chunkSize is the approximate size of an element between workers, in bytes. An element is expensive for an engine: prism, which keeps
// all elements in memory, took 45 times the size of the records when each record of 50 bytes was an element.
const chunkSize = 64 << 10

// chunkMemory is the maximum size of the open chunks of all shards, in bytes.
const chunkMemory = 16 << 20

// A chunker collects the records of each shard in chunks, which become elements. In a chunk, each record follows its key and its length.
type chunker struct {
	size int      // size from which a chunk is emitted, in bytes
	open [][]byte // the open chunk of each shard
}

func newChunker(shards int) *chunker {
	return &chunker{size: min(chunkSize, chunkMemory/shards), open: make([][]byte, shards)}
}

// add adds a record to the chunk of a shard. key is the record's key.
func (c *chunker) add(shard int, rec []byte, emit func(int, []byte), key ...uint64) {
	b := c.open[shard]
	for _, k := range key {
		b = binary.BigEndian.AppendUint64(b, k)
	}
	b = binary.AppendUvarint(b, uint64(len(rec)))
	b = append(b, rec...)
	if c.open[shard] = b; len(b) >= c.size {
		emit(shard, b)
		c.open[shard] = nil // the emitted chunk must not be reused
	}
}

// flush emits the open chunks.
func (c *chunker) flush(emit func(int, []byte)) {
	for shard, b := range c.open {
		if len(b) > 0 {
			emit(shard, b)
			c.open[shard] = nil
		}
	}
}

// eachRecord calls do for every record of the chunks. key is the size of the keys, in bytes.
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

var errChunk = errors.New("tfrecordio: malformed chunk: want a key, a length and a record")
