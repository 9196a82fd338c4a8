package datasets

import (
	"encoding/binary"
	"math"
)

// A writer encodes one message. Its methods write canonical bytes: lists are packed, every field occurs once, and
// lengths take the fewest bytes possible.
//
//	Example            1: Features
//	SequenceExample    1: Features (context)   2: FeatureLists
//	Features           1: entry of a map: 1 name, 2 Feature
//	FeatureLists       1: entry of a map: 1 name, 2 FeatureList
//	FeatureList        1: Feature
//	Feature            1: BytesList   2: FloatList   3: Int64List; field 1 of each: its values
type writer struct {
	message  []byte
	features []byte // entries of the current map of features
	lists    []byte // entries of the map of feature lists
	list     []byte // features of the current feature list
	feature  []byte
	values   []byte
	entry    []byte

	numbers [3][]int64 // buffers for the sets: values before they are encoded
	vector  []float32
	blob    []byte
	order   []int
}

func (w *writer) begin() {
	w.message, w.features, w.lists = w.message[:0], w.features[:0], w.lists[:0]
}

// field appends a length-delimited field.
func field(dst []byte, number int, body []byte) []byte {
	dst = append(dst, byte(number<<3|2))
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	return append(dst, body...)
}

// packed sets w.feature to a packed list of the values in w.values.
func (w *writer) packed(kind int) {
	w.entry = w.entry[:0]
	if len(w.values) > 0 {
		w.entry = field(w.entry, 1, w.values)
	}
	w.feature = field(w.feature[:0], kind, w.entry)
}

func (w *writer) ints(v ...int64) {
	w.values = w.values[:0]
	for _, x := range v {
		w.values = binary.AppendUvarint(w.values, uint64(x))
	}
	w.packed(3)
}

func (w *writer) floats(v ...float32) {
	w.values = w.values[:0]
	for _, x := range v {
		w.values = binary.LittleEndian.AppendUint32(w.values, math.Float32bits(x))
	}
	w.packed(2)
}

func (w *writer) bytes(v ...[]byte) {
	w.values = w.values[:0]
	for _, s := range v {
		w.values = field(w.values, 1, s)
	}
	w.feature = field(w.feature[:0], 1, w.values)
}

// named adds w.feature to the map of features.
func (w *writer) named(name string) {
	w.entry = field(w.entry[:0], 1, []byte(name))
	w.entry = field(w.entry, 2, w.feature)
	w.features = field(w.features, 1, w.entry)
}

// step adds w.feature to the current feature list.
func (w *writer) step() { w.list = field(w.list, 1, w.feature) }

// endList adds the current feature list under a name, and starts the next one.
func (w *writer) endList(name string) {
	w.entry = field(w.entry[:0], 1, []byte(name))
	w.entry = field(w.entry, 2, w.list)
	w.lists = field(w.lists, 1, w.entry)
	w.list = w.list[:0]
}

func (w *writer) example() { w.message = field(w.message, 1, w.features) }

func (w *writer) sequence() {
	w.example()
	w.message = field(w.message, 2, w.lists)
}
