package record

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/judge"
)

// NewJudge returns a Judge for Examples, or nil if c is of other records. Where it has
// something to say of a record, Check says what. It is for this module: statistics and
// checks share the work of taking records apart.
func (c *Checker) NewJudge() judge.Judge {
	if c.message != example.TypeExample {
		return nil
	}
	return &judgement{c: c, s: c.newScratch()}
}

// A judgement is the quick way for features that somebody else has found.
type judgement struct {
	c *Checker
	s *scratch
}

// unlisted is the number of all names that nobody asks for.
const unlisted = 1<<31 - 1

func (j *judgement) Number(name string) int32 {
	i, ok := j.c.features.index[name]
	switch {
	case !ok && j.c.closed, ok && (j.c.quickFeatures.asks[i].never || j.c.features.entries[i].name != name):
		return -1
	case !ok || j.c.quickFeatures.asks[i].skipped:
		return unlisted
	}
	return int32(i)
}

func (j *judgement) Start() { j.c.startQuick(j.s) }

func (j *judgement) Unset(int32) bool { return true }

func (j *judgement) Ints(k int32, v []int64) bool {
	if k == unlisted {
		return true
	}
	a, s := &j.c.quickFeatures.asks[k], j.s
	if !a.takes(canonical.Int64Tag, len(v)) {
		return false
	}
	if a.ranged && !a.allIn(v) {
		return false
	}
	if a.numbers {
		s.kept = append(s.kept, v...)
	}
	s.take(a, int(k), len(v))
	return true
}

func (j *judgement) Floats(k int32, v []float32) bool {
	if k == unlisted {
		return true
	}
	a := &j.c.quickFeatures.asks[k]
	if !a.takes(canonical.FloatTag, len(v)) || a.numbers || a.ranged && !a.allFloatsIn(v) {
		return false
	}
	j.s.take(a, int(k), len(v))
	return true
}

func (j *judgement) Bytes(k int32, v [][]byte) bool {
	if k == unlisted {
		return true
	}
	a := &j.c.quickFeatures.asks[k]
	if !a.takes(canonical.BytesTag, len(v)) || a.numbers {
		return false
	}
	if a.worded {
		for _, word := range v {
			if a.entry.word(word) != good {
				return false
			}
		}
	}
	j.s.take(a, int(k), len(v))
	return true
}

func (j *judgement) End() bool {
	return j.s.required == j.c.quickFeatures.required && j.c.quickLinks(j.s)
}
