package scan

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Where passes on the records that an expression selects.
type Where struct {
	Visitor
	Expression *Expression
	match      func(rec []byte) (bool, error)
}

// Use sets the type of the records that follow.
func (w *Where) Use(t example.MessageType) error {
	w.match = w.Expression.MatchOf(t)
	return RefuseRaw(t)
}

// Record implements [Visitor].
func (w *Where) Record(rec []byte, pos tfrecord.Position) error {
	switch ok, err := w.match(rec); {
	case err != nil:
		return w.Visitor.Skipped(Misfit(pos, err))
	case !ok:
		return nil
	}
	return w.Visitor.Record(rec, pos)
}
