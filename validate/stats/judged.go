package stats

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/judge"
)

// AddJudged is Add for a record that is to be checked, too: it is taken apart once, and j is
// told what there is. If usual is false nothing was added, nor is it known how the record
// is: it is not an Example in the form that every writer writes, or is described in
// another way. Else the record is sound, and well says what j says; err is that of Add.
func (a *Accumulator) AddJudged(msg []byte, j judge.Judge) (usual, well bool, err error) {
	if a.opts.RecordType != Examples || a.opts.TFDV || a.opts.SampleRate < 1 {
		return false, false, nil
	}
	const least = 8 // bytes of a feature; of many more that are known most are not in the record
	if len(a.table.fields) > 64+len(msg)/least {
		return false, false, nil
	}
	a.rec.domains = a.domains(msg)
	known, before := len(a.table.fields), a.known()
	if a.parse(msg) != nil {
		return false, false, nil
	}
	if !a.rec.usual {
		a.undo()
		a.table.truncate(known)
		return false, false, nil
	}
	well = a.judge(j)
	return true, well, a.account(msg, before, a.addParsed(msg, known))
}

// judge tells j of the record at hand.
func (a *Accumulator) judge(j judge.Judge) bool {
	if a.judged != j {
		a.judged = j
		for i := range a.table.fields {
			a.table.fields[i].judged = 0
		}
	}
	r := &a.rec
	j.Start()
	for i := range a.table.fields {
		if f := &a.table.fields[i]; f.mark == a.mark && f.single && !a.judgeNumbers(j, int32(i), f.to, 1) {
			return false
		}
	}
	for _, d := range r.direct {
		if !a.judgeNumbers(j, d.id, d.to, d.count) {
			return false
		}
	}
	for i := range r.entries {
		e := &r.entries[i]
		n, ok := a.number(e.field, j), false
		if n < 0 {
			return false
		}
		switch e.kind {
		case example.Unset:
			ok = j.Unset(n)
		case example.Int64List:
			ok = j.Ints(n, r.ints[e.lo:e.hi])
		case example.FloatList:
			ok = j.Floats(n, r.floats[e.lo:e.hi])
		case example.BytesList:
			ok = j.Bytes(n, r.bytes[e.lo:e.hi])
		}
		if !ok {
			return false
		}
	}
	return j.End()
}

// judgeNumbers tells j of the last numbers of a column.
func (a *Accumulator) judgeNumbers(j judge.Judge, id int32, c *column, count int) bool {
	n := a.number(id, j)
	switch {
	case n < 0:
		return false
	case c.kind == example.Int64List:
		return j.Ints(n, c.numbers.values.LastInts(count))
	}
	return j.Floats(n, c.numbers.values.LastFloats(count))
}

// number returns what a field is told as.
func (a *Accumulator) number(id int32, j judge.Judge) int32 {
	const asked = 2 // what is kept is 0 for a field that is new
	f := &a.table.fields[id]
	if f.judged == 0 {
		f.judged = asked - 1
		if f.listed || f.read {
			f.judged = asked + max(j.Number(f.name), -1)
		}
	}
	return f.judged - asked
}
