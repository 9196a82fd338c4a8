package stats

import "github.com/tfparse/tfparse/proto/metadatapb"

// MaxLengths is how many different numbers of values Details.Lengths has of a feature.
const MaxLengths = 10

// A seen is the first of the different lengths at a level of nesting, and how many there are.
type seen struct {
	first []uint64
	all   int
}

// lengths notes the different lengths of lists that common statistics describe. Those of one length, or of
// two neighbours, are the least and the largest of the message.
func (d *Details) lengths(s *metadatapb.CommonStatistics, c *common) {
	if d == nil {
		return
	}
	var levels []seen
	for i := range c.levels {
		if e := c.levels[i].extent(); e.most-e.least > 1 {
			if levels == nil {
				levels = make([]seen, len(c.levels))
			}
			levels[i] = c.levels[i].lengths.seen()
		}
	}
	if levels != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.seen[s] = levels
	}
}

// seen returns the first lengths, in ascending order; none if they are not all known.
func (l *lengths) seen() (s seen) {
	if l.long != nil && l.long.RankError() > 0 {
		return s
	}
	for _, e := range l.summary() {
		if s.all++; s.all <= MaxLengths {
			s.first = append(s.first, uint64(e.V))
		}
	}
	return s
}

// Lengths is for package anomaly, whose options take Details: it returns the different numbers of values that lists
// have at a level of nesting, 0 the outermost: the first MaxLengths in ascending order, and how many there
// are. It returns none where the ends of the range are all there are, if the statistics are not of these
// Details, and if there was no memory to count every length. The caller must not change the slice.
func (d *Details) Lengths(s *metadatapb.CommonStatistics, level int) (lengths []uint64, all int) {
	if levels := d.seen[s]; level < len(levels) {
		return levels[level].first, levels[level].all
	}
	return nil, 0
}
