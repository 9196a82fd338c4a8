package bind_test

import (
	"reflect"
	"testing"

	"github.com/tfparse/tfparse/feature/bind"
)

// everything has most kinds of fields that a struct may have.
type everything struct {
	A int64         `tfparse:"a,default=1"`
	B []byte        `tfparse:"b,default=''"`
	C [2]float32    `tfparse:"c,default=0"`
	D *int16        `tfparse:"d"`
	E []float64     `tfparse:"e"`
	F [][]string    `tfparse:"f,row_splits=f/s"`
	G [][][]uint32  `tfparse:"g,row_lengths=g/n,row_limits=g/l"`
	H [][2]yes      `tfparse:"h"`
	I [][][2]grade  `tfparse:"i,value_row_ids=i/r"`
	J [][]int64     `tfparse:"j,row_starts=j/s"`
	K [][2][][]byte `tfparse:"k,row_splits=k/s"`
	L *[2]string    `tfparse:"l"`
	M [][]blob      `tfparse:"m,uniform_row_length=2"`
	N []int         `tfparse:"n"`
	O [][]count     `tfparse:"o,row_splits=f/s"`
}

type everyList struct {
	Context everything `tfparse:",context"`
	Lists   struct {
		A []int64      `tfparse:"a,allow_missing"`
		B [][2]float32 `tfparse:"b,allow_missing"`
		C [][]string   `tfparse:"c"`
		D [][][]uint8w `tfparse:"d,row_lengths=d/n"`
		E [][][2]bool  `tfparse:"e"`
	} `tfparse:",sequence"`
}

type uint8w uint16

type everyExample struct {
	Context everything   `tfparse:",context"`
	Docs    []everything `tfparse:",examples"`
}

// FuzzRecord decodes any bytes into structs of all three message types.
func FuzzRecord(f *testing.F) {
	all := []reflect.Type{reflect.TypeFor[everything](), reflect.TypeFor[everyList](), reflect.TypeFor[everyExample]()}
	var codecs []bind.Untyped
	var used []reflect.Value
	for i, typ := range all {
		codec, err := bind.Compile(typ)
		if err != nil {
			f.Fatal(err)
		}
		codecs, used = append(codecs, codec), append(used, reflect.New(typ))
		for seed := range uint64(4) {
			v := reflect.New(typ)
			g := newGen(nil, seed)
			g.fill(v.Elem())
			shareSplits(v.Elem())
			record, err := codec.Encode(v)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(byte(i), record)
		}
	}
	f.Fuzz(func(t *testing.T, which byte, record []byte) {
		i := int(which) % len(all)
		_ = checkDecode(t, codecs[i], all[i], record, used[i])
	})
}

// shareSplits gives fields that share a key rows of equal lengths.
func shareSplits(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			shareSplits(v.Index(i))
		}
	case reflect.Struct:
		if e, ok := v.Addr().Interface().(*everything); ok {
			e.O = make([][]count, len(e.F))
			for i := range e.F {
				e.O[i] = make([]count, len(e.F[i]))
			}
			return
		}
		for i := range v.NumField() {
			shareSplits(v.Field(i))
		}
	}
}
