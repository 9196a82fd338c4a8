package main

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/raggedjson"
	"github.com/tfparse/tfparse/feature"
)

// A rowEncoder encodes lines that are rows of a spec. It gathers some lines and
// makes columns of them, from which the records are written.
type rowEncoder struct {
	*encode
	reader *raggedjson.Reader
	lines  []int64 // number of the line of each row
	size   int     // of the lines
}

// How many lines, and bytes of lines, are gathered.
const (
	gatherLines = 256
	gatherBytes = 1 << 20
)

func newRowEncoder(c *encode) (*rowEncoder, error) {
	if len(c.kinds) > 0 {
		return nil, usagef("--kind is for lines without a spec, which says it itself")
	}
	parser, err := newParser(c.spec, nil, &feature.ParserOptions{})
	if err != nil {
		return nil, err
	}
	return &rowEncoder{encode: c, reader: raggedjson.NewReader(parser)}, checkType(c.typ, parser)
}

// take takes a line.
func (c *rowEncoder) take(name string, n int64, line []byte) error {
	if err := c.reader.Append(line); err != nil {
		if err := c.flush(name); err != nil {
			return err
		}
		return c.misfit(name, n, err)
	}
	c.lines = append(c.lines, n)
	c.size += len(line)
	if len(c.lines) < gatherLines && c.size < gatherBytes {
		return nil
	}
	return c.flush(name)
}

// flush writes the records of the lines that were taken.
func (c *rowEncoder) flush(name string) error {
	defer func() {
		c.lines, c.size = c.lines[:0], 0
		c.reader.Reset()
	}()
	if len(c.lines) == 0 {
		return nil
	}
	batch, err := c.reader.Batch()
	if err != nil {
		return err
	}
	for i, n := range c.lines {
		if c.msg, err = batch.AppendRecord(c.msg[:0], i); err != nil {
			err = c.misfit(name, n, err)
		} else {
			err = c.write(name, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
