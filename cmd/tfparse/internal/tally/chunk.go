package tally

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// chunkSize is how many bytes of records a chunk has. It depends on nothing but the
// memory, since the last digits of a mean depend on it.
func (j *Job) chunkSize() int {
	const least, most = 256 << 10, 4 << 20
	return int(min(max(j.Memory/512, least), most))
}

// A chunk is some records in a row, and their statistics.
type chunk struct {
	acc       *stats.Accumulator // nil: no records
	into      *stats.Accumulator // that acc is merged with: of the file
	last      bool               // of the file
	size      int                // of the records
	records   []byte
	ends      []int // of each record
	positions []tfrecord.Position
	lost      []lost
	events    []func() error // to be done in order
}

// A lost is an event that comes before a record.
type lost struct {
	before int
	event  func() error
}

// add adds all records to the statistics.
func (c *chunk) add(j *Job) {
	from, reported := 0, 0
	for i, end := range c.ends {
		for ; reported < len(c.lost) && c.lost[reported].before <= i; reported++ {
			c.events = append(c.events, c.lost[reported].event)
		}
		c.one(j, c.records[from:end], c.positions[i])
		from = end
	}
	for _, l := range c.lost[reported:] {
		c.events = append(c.events, l.event)
	}
}

// report does what is to be done in order.
func (c *chunk) report() error {
	for _, e := range c.events {
		if err := e(); err != nil {
			return err
		}
	}
	c.events = c.events[:0]
	return nil
}

// one adds one record.
func (c *chunk) one(j *Job, rec []byte, pos tfrecord.Position) {
	if j.Check == nil || c.check(j, rec, pos) {
		c.refused(j, pos, c.acc.Add(rec))
	}
}

// check checks one record, and reports whether it counts.
func (c *chunk) check(j *Job, rec []byte, pos tfrecord.Position) (counts bool) {
	later, counts := j.Check(rec, pos)
	if later != nil {
		c.events = append(c.events, later)
	}
	return counts
}

// refused notes that the statistics have refused a record, if they have.
func (c *chunk) refused(j *Job, pos tfrecord.Position, err error) {
	if err != nil {
		c.events = append(c.events, func() error { return j.Refused(recordscan.Misfit(pos, err)) })
	}
}
