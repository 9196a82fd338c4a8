package random

import (
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// DTypes are the types that a feature may have.
var DTypes = []feature.DType{feature.Int64, feature.Float32, feature.String}

// Spec makes a sound spec for one of the three messages.
func (g *Gen) Spec() feature.Spec {
	for {
		var s feature.Spec
		switch g.N(4) {
		case 0, 1:
			s.Features = g.features(feature.InFeatures, true)
		case 2:
			s.Context = g.features(feature.InContext, false)
			s.Sequence = g.features(feature.InSequence, false)
		case 3:
			s.Context = g.features(feature.InContext, true)
			s.Examples = g.features(feature.InExamples, true)
		}
		if s.Validate() == nil {
			return s
		}
	}
}

func (g *Gen) features(group feature.Group, whole bool) feature.Features {
	fs := feature.Features{}
	shared := g.OneIn(4)
	for i := range 1 + g.N(4) {
		name := fmt.Sprintf("%s%d", Pick(g, "", "k", "é", "\xff"), i)
		fs[name] = g.feature(group, name, whole, shared)
	}
	return fs
}

func (g *Gen) shape() []int {
	return Pick(g, nil, nil, []int{1}, []int{2}, []int{3}, []int{2, 2}, []int{1, 3}, []int{0})
}

func (g *Gen) feature(group feature.Group, name string, whole, shared bool) feature.Feature {
	d := Pick(g, DTypes...)
	key := func(s string) string {
		if shared {
			return Pick(g, "v", "n", "m")
		}
		return name + "/" + s
	}
	switch k := g.N(6); {
	case k == 0 && group != feature.InSequence:
		f := feature.FixedLen{DType: d, Shape: g.shape()}
		if g.OneIn(2) {
			f.Default = g.value(d, Size(f.Shape))
		}
		return f
	case k <= 1 && (group == feature.InSequence || whole):
		f := feature.FixedLenSequence{DType: d, Shape: g.shape()}
		if group == feature.InSequence {
			f.AllowMissing = g.OneIn(2)
		} else if g.OneIn(2) {
			f.Default = g.value(d, 1)
		}
		return f
	case k == 3 && group != feature.InSequence && whole:
		f := feature.Sparse{DType: d, ValueKey: key("v"), Sorted: g.OneIn(4)}
		for i := range 1 + g.N(3) {
			f.IndexKeys = append(f.IndexKeys, key(fmt.Sprint("i", i)))
			f.Size = append(f.Size, Pick[int64](g, 3, 100, 1<<40))
		}
		return f
	case k >= 4:
		f := feature.Ragged{DType: d}
		if g.OneIn(2) {
			f.ValueKey = key("v")
		}
		for i := range g.N(5) {
			f.Partitions = append(f.Partitions, g.partition(key(fmt.Sprint("p", i))))
		}
		return f
	}
	return feature.VarLen{DType: d}
}

func (g *Gen) partition(key string) feature.Partition {
	return Pick[feature.Partition](g, feature.RowSplits(key), feature.RowLengths(key), feature.RowStarts(key),
		feature.RowLimits(key), feature.ValueRowIDs(key), feature.UniformRowLength(1+g.N(3)))
}

func Size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// value makes n values.
func (g *Gen) value(d feature.DType, n int) example.Value {
	v := example.Value{}
	switch d {
	case feature.Int64:
		v.Int64s = make([]int64, n)
		for i := range v.Int64s {
			v.Int64s[i] = Pick[int64](g, 0, 1, 2, 3, -1, 127, 128, math.MaxInt64, math.MinInt64)
		}
	case feature.Float32:
		v.Floats = make([]float32, n)
		for i := range v.Floats {
			v.Floats[i] = Pick(g, 0, 1.5, float32(math.NaN()), float32(math.Inf(-1)), math.Float32frombits(0xFF812345), float32(math.Copysign(0, -1)))
		}
	case feature.String:
		v.Bytes = make([][]byte, n)
		for i := range v.Bytes {
			v.Bytes[i] = []byte(Pick(g, "", "a", "é", "\xff\x00", "a longer string that is not short"))
		}
	}
	return v
}

// A unit is what a record, an example or a step has under its keys.
type unit map[string]example.Value

// unit makes data that fit the features, where they do not share keys.
func (g *Gen) unit(fs feature.Features, step bool) unit {
	u := unit{}
	few := func() int { return Pick(g, 0, 1, 1, 2, 3, 5) }
	for name, f := range sortedFeatures(fs) {
		d := feature.DTypeOf(f)
		switch f := f.(type) {
		case feature.FixedLen:
			if f.Default.Len() > 0 && g.OneIn(3) {
				continue
			}
			u[name] = g.value(d, Size(f.Shape))
		case feature.FixedLenSequence:
			if step {
				u[name] = g.value(d, Size(f.Shape))
			} else {
				u[name] = g.value(d, Size(f.Shape)*few())
			}
		case feature.VarLen:
			u[name] = g.value(d, few())
		case feature.Sparse:
			n := few()
			u[f.ValueKey] = g.value(d, n)
			for i, k := range f.IndexKeys {
				ix := make([]int64, n)
				for j := range ix {
					ix[j] = int64(g.N(int(min(f.Size[i], 5))))
				}
				u[k] = example.Value{Int64s: ix}
			}
		case feature.Ragged:
			g.ragged(u, name, f)
		}
	}
	return u
}

// ragged makes rows from the outermost level to the innermost.
func (g *Gen) ragged(u unit, name string, f feature.Ragged) {
	rows := Pick(g, 0, 1, 2, 3)
	if len(f.Partitions) == 0 {
		rows = Pick(g, 0, 1, 2, 5)
	}
	for _, p := range f.Partitions {
		lengths := make([]int64, rows)
		for i := range lengths {
			lengths[i] = Pick[int64](g, 0, 1, 2, 3)
			if n, ok := p.(feature.UniformRowLength); ok {
				lengths[i] = int64(n)
			}
		}
		if _, ok := p.(feature.ValueRowIDs); ok && rows > 0 {
			lengths[rows-1] = max(lengths[rows-1], 1)
		}
		rows = 0
		for _, n := range lengths {
			rows += int(n)
		}
		if key, data := partitionData(p, lengths); data != nil {
			u[key] = example.Value{Int64s: data}
		}
	}
	key := f.ValueKey
	if key == "" {
		key = name
	}
	u[key] = g.value(f.DType, rows)
}

// partitionData says rows of the given lengths in the form of p; nil if p is uniform.
func partitionData(p feature.Partition, lengths []int64) (key string, data []int64) {
	splits := []int64{0}
	ids := []int64{}
	for i, n := range lengths {
		splits = append(splits, splits[i]+n)
		for range n {
			ids = append(ids, int64(i))
		}
	}
	switch p := p.(type) {
	case feature.RowSplits:
		return string(p), splits
	case feature.RowLengths:
		return string(p), lengths
	case feature.RowStarts:
		return string(p), splits[:len(lengths)]
	case feature.RowLimits:
		return string(p), splits[1:]
	case feature.ValueRowIDs:
		return string(p), ids
	}
	return "", nil
}

func sortedFeatures(fs feature.Features) func(func(string, feature.Feature) bool) {
	return func(yield func(string, feature.Feature) bool) {
		names := []string{}
		for name := range fs {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if !yield(name, fs[name]) {
				return
			}
		}
	}
}

// Record makes a record for the spec. It is sound, and fits unless keys are shared;
// with odd set, about every second one is odd or wrong in some way.
func (g *Gen) Record(s feature.Spec, odd bool) []byte {
	odd = odd && g.OneIn(2)
	var msg []byte
	switch s.Message() {
	case example.TypeExample:
		msg = g.example(s.Features, odd)
	case example.TypeSequence:
		msg = append(g.example(s.Context, odd), protoField(2, g.featureLists(s.Sequence, odd))...)
	default:
		for range g.N(4) {
			msg = append(msg, protoField(1, g.example(s.Examples, odd))...)
		}
		if !g.OneIn(5) {
			msg = append(msg, protoField(2, g.example(s.Context, odd))...)
		}
	}
	if odd && g.OneIn(6) && len(msg) > 0 {
		i := g.N(len(msg))
		switch g.N(3) {
		case 0:
			msg[i] ^= 1 << g.N(8)
		case 1:
			msg = msg[:i]
		case 2:
			msg = slices.Insert(msg, i, byte(g.N(256)))
		}
	}
	return msg
}

// protoField is one length-delimited field.
func protoField(num protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), body)
}

func (g *Gen) example(fs feature.Features, odd bool) []byte {
	var body []byte
	u := g.unit(fs, false)
	for _, key := range g.keys(u) {
		body = append(body, g.entry(key, g.wireFeature(u[key], odd), odd)...)
		if odd && g.OneIn(16) { // a duplicate
			body = append(body, g.entry(key, g.wireFeature(u[key], odd), odd)...)
		}
	}
	return protoField(1, body)
}

// keys returns the keys of a unit in some order, seldom without one of them.
func (g *Gen) keys(u unit) []string {
	keys := []string{}
	for k := range u {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for i := range keys {
		j := i + g.N(len(keys)-i)
		keys[i], keys[j] = keys[j], keys[i]
	}
	return keys
}

func (g *Gen) entry(key string, value []byte, odd bool) []byte {
	if odd && g.OneIn(12) {
		return nil
	}
	k, v := protoField(1, []byte(key)), protoField(2, value)
	if odd && g.OneIn(12) {
		return protoField(1, slices.Concat(v, k, Pick(g, nil, protoField(7, nil))))
	}
	return protoField(1, append(k, v...))
}

func (g *Gen) featureLists(fs feature.Features, odd bool) []byte {
	lists := map[string][]unit{}
	for name, f := range sortedFeatures(fs) {
		one := feature.Features{name: f}
		n := Pick(g, 0, 1, 2, 3)
		for _, k := range g.keys(g.unit(one, true)) {
			lists[k] = []unit{}
		}
		for range n {
			for k, v := range g.unit(one, true) {
				lists[k] = append(lists[k], unit{k: v})
			}
		}
	}
	all := unit{}
	for k := range lists {
		all[k] = example.Value{}
	}
	var body []byte
	for _, k := range g.keys(all) {
		var list []byte
		for _, u := range lists[k] {
			list = append(list, protoField(1, g.wireFeature(u[k], odd))...)
		}
		if odd && g.OneIn(12) {
			list = append(list, protoField(1, nil)...)
		}
		body = append(body, g.entry(k, list, odd)...)
		if odd && g.OneIn(16) {
			body = append(body, g.entry(k, list, odd)...)
		}
	}
	return body
}

// wireFeature encodes a value, if odd in some way that a writer might not.
func (g *Gen) wireFeature(v example.Value, odd bool) []byte {
	form := 0
	if odd {
		form = g.N(14)
	}
	switch form {
	case 1:
		return nil // no kind
	case 2:
		v = g.value(Pick(g, DTypes...), v.Len())
	case 3:
		v = g.value(Pick(g, DTypes...), 0)
	case 4:
		if len(v.Int64s) > 0 {
			v.Int64s = slices.Clone(v.Int64s)
			v.Int64s[g.N(len(v.Int64s))] += int64(g.N(3)) - 1
		}
	case 5:
		if len(v.Int64s) > 0 {
			v.Int64s = v.Int64s[:len(v.Int64s)-1]
		}
	}
	list, kind := g.wireList(v, form == 6 || g.OneIn(6))
	if form == 7 {
		list = append(list, protoField(9, []byte("x"))...)
	}
	if form == 8 {
		list = append(protoField(9, []byte("x")), list...)
	}
	out := protoField(kind, list)
	switch form {
	case 9:
		out = append(protoField(8, []byte("y")), out...)
	case 10:
		out = append(out, protoField(Pick[protowire.Number](g, 1, 2, 3, 8), nil)...)
	case 11:
		if len(list) > 0 {
			out = append(out, protoField(kind, list)...)
		}
	}
	return out
}

func (g *Gen) wireList(v example.Value, unpacked bool) (list []byte, kind protowire.Number) {
	switch v.Kind() {
	case example.BytesList:
		for _, s := range v.Bytes {
			list = append(list, protoField(1, s)...)
		}
		return list, 1
	case example.FloatList:
		var packed []byte
		for _, f := range v.Floats {
			packed = protowire.AppendFixed32(packed, math.Float32bits(f))
			list = protowire.AppendFixed32(protowire.AppendTag(list, 1, protowire.Fixed32Type), math.Float32bits(f))
		}
		if !unpacked && len(packed) > 0 {
			list = protoField(1, packed)
		}
		return list, 2
	}
	var packed []byte
	for _, x := range v.Int64s {
		packed = protowire.AppendVarint(packed, uint64(x))
		list = protowire.AppendVarint(protowire.AppendTag(list, 1, protowire.VarintType), uint64(x))
	}
	if !unpacked && len(packed) > 0 {
		list = protoField(1, packed)
	}
	return list, 3
}
