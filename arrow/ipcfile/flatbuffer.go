package ipcfile

import (
	"encoding/binary"
	"fmt"
)

// The metadata of a message is a flatbuffer: vectors claim their length, and several references may lead to one table.
// arrow-go allocates by the claimed lengths and follows all references, so checkMetadata limits both by the size of the
// metadata. Other faults need no check: arrow-go panics, and the Reader returns an error.

// maxDepth is the maximum number of lists and structs around a value, as in arrow-go.
const maxDepth = 64

// Types of messages.
const (
	schemaMessage     = 1
	dictionaryMessage = 2
	batchMessage      = 3
)

// A table is a table of a flatbuffer. Its methods panic outside of the buffer.
type table struct {
	b    []byte // the whole flatbuffer
	pos  int    // offset of the table in b
	left *int   // number of tables that may still be visited; all tables of a flatbuffer share it
}

// checkMetadata panics if the metadata of a message claim more than their size allows, or have a union.
func checkMetadata(b []byte) {
	left := len(b) / 4
	message := table{b, int(binary.LittleEndian.Uint32(b)), &left}
	message.checkTables(4, 1, nil)
	kind, _ := message.field(1)
	header, _ := message.reference(2)
	switch b[kind] {
	case schemaMessage:
		header.checkSchema()
	case dictionaryMessage:
		values, _ := header.reference(1)
		values.checkBatch()
	case batchMessage:
		header.checkBatch()
	default:
		panic(fmt.Sprintf("want a schema, a dictionary or a record batch, got message type %d", b[kind]))
	}
}

// checkBatch checks the lists of arrays and buffers of a record batch.
func (t table) checkBatch() {
	t.vector(1, 16)
	_, buffers := t.vector(2, 16)
	pos, n := t.vector(4, 8)
	for i := range n { // the number of buffers of each column of views
		if k := binary.LittleEndian.Uint64(t.b[pos+8*i:]); k > uint64(buffers) {
			panic(fmt.Sprintf("a column claims %d buffers of %d", k, buffers))
		}
	}
}

// checkSchema checks the fields and the metadata of a schema.
func (t table) checkSchema() {
	t.checkTables(1, maxDepth, table.checkField)
	t.checkTables(2, 1, nil)
}

// A block is the position of a record batch or a dictionary in a file.
type block struct {
	offset int64 // offset of the metadata, in bytes
	length int32 // size of the metadata with their length, in bytes
	body   int64 // size of the buffers after the metadata, in bytes
}

// checkIndex returns the blocks in the index at the end of a file. It panics as checkMetadata does.
func checkIndex(b []byte) (dictionaries, batches []block) {
	left := len(b) / 4
	footer := table{b, int(binary.LittleEndian.Uint32(b)), &left}
	if schema, ok := footer.reference(1); ok {
		schema.checkSchema()
	}
	footer.checkTables(4, 1, nil)
	return footer.blocks(2), footer.blocks(3)
}

// blocks returns the blocks of a field of an index.
func (t table) blocks(field int) []block {
	pos, n := t.vector(field, 24)
	blocks := make([]block, n)
	for i := range blocks {
		at := t.b[pos+24*i:]
		blocks[i] = block{int64(binary.LittleEndian.Uint64(at)), int32(binary.LittleEndian.Uint32(at[8:])), int64(binary.LittleEndian.Uint64(at[16:]))}
	}
	return blocks
}

// checkField checks the children and the metadata of a field.
func (t table) checkField(depth int) {
	const union = 14
	if kind, ok := t.field(2); ok && t.b[kind] == union {
		panic("a column is a union")
	}
	t.checkTables(5, depth-1, table.checkField)
	t.checkTables(6, 1, nil)
}

// checkTables calls check for each table of a vector in a field. check may be nil. depth limits the nesting of tables.
func (t table) checkTables(field, depth int, check func(t table, depth int)) {
	pos, n := t.vector(field, 4)
	if *t.left -= n; *t.left < 0 || n > 0 && depth <= 0 {
		panic("fields are nested too deep")
	}
	for i := range n {
		if at := pos + 4*i; check != nil {
			check(table{t.b, at + int(binary.LittleEndian.Uint32(t.b[at:])), t.left}, depth)
		}
	}
}

// field returns the offset of a field; ok is false if the table lacks it.
func (t table) field(i int) (pos int, ok bool) {
	fields := t.pos - int(int32(binary.LittleEndian.Uint32(t.b[t.pos:])))
	if 4+2*i >= int(binary.LittleEndian.Uint16(t.b[fields:])) {
		return 0, false
	}
	offset := int(binary.LittleEndian.Uint16(t.b[fields+4+2*i:]))
	return t.pos + offset, offset != 0
}

// reference returns the table, vector or string that a field refers to.
func (t table) reference(i int) (to table, ok bool) {
	pos, ok := t.field(i)
	if ok {
		pos += int(binary.LittleEndian.Uint32(t.b[pos:]))
	}
	return table{t.b, pos, t.left}, ok
}

// vector returns the offset of the first element of a vector and the number of elements. size is that of an element, in
// bytes. A number of elements beyond the buffer is a panic.
func (t table) vector(i, size int) (pos, n int) {
	v, ok := t.reference(i)
	if !ok {
		return 0, 0
	}
	n = int(binary.LittleEndian.Uint32(t.b[v.pos:]))
	if n < 0 || n > (len(t.b)-v.pos-4)/size {
		panic(fmt.Sprintf("a vector claims %d elements", n))
	}
	return v.pos + 4, n
}
