package bind_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/bind"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Request is a request to a service. Its tags name the features.
type Request struct {
	User   string     `tfparse:"user"`                               // required
	Age    int        `tfparse:"age,default=0"`                      // 0 if the feature is missing
	Vector [3]float32 `tfparse:"vector"`                             // exactly three values
	Tags   []string   `tfparse:"tags"`                               // any number of values
	Steps  [][]int64  `tfparse:"steps/tokens,row_lengths=steps/len"` // rows, with their lengths under another key
	Price  *float32   `tfparse:"price"`                              // nil if the feature is missing
	Note   string     `tfparse:"-"`                                  // not a feature
}

// The codec is made once; this finds errors of the type. It may be used by all goroutines.
var requestCodec = func() *bind.Codec[Request] {
	codec, err := bind.New[Request](nil)
	if err != nil {
		log.Fatal(err)
	}
	return codec
}()

// A service decodes a request.
func Example() {
	record, err := example.Example{ // as it is received
		"user":         example.Strings("ada"),
		"vector":       example.Floats(0.5, 1, 2),
		"tags":         example.Strings("new", "mobile"),
		"steps/tokens": example.Int64s(7, 8, 9),
		"steps/len":    example.Int64s(2, 0, 1),
		"price":        example.Floats(9.5),
	}.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	var r Request
	if err := requestCodec.Decode(record, &r); err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.User, r.Age, r.Vector, r.Tags, r.Steps, *r.Price)
	// Output:
	// ada 0 [0.5 1 2] [new mobile] [[7 8] [] [9]] 9.5
}

// The error for an invalid request tells its sender the reason.
func ExampleCodec_Decode() {
	record, err := example.Example{
		"user":   example.Strings("bob"),
		"vector": example.Floats(1, 2),
	}.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	var r Request
	err = requestCodec.Decode(record, &r)
	if e, ok := errors.AsType[*bind.Error](err); ok {
		fmt.Println(e.Field, errors.Is(err, feature.ErrCount))
	}
	// Output:
	// Vector true
}

func ExampleCodec_Encode() {
	type Click struct {
		Item int64  `tfparse:"item"`
		From string `tfparse:"from,default=web"`
	}
	codec, err := bind.New[Click](nil)
	if err != nil {
		log.Fatal(err)
	}
	record, err := codec.Encode(&Click{Item: 7, From: "mail"})
	if err != nil {
		log.Fatal(err)
	}
	var e example.Example // as another program would read it
	if err := e.UnmarshalBinary(record); err != nil {
		log.Fatal(err)
	}
	fmt.Println(e["item"].Int64s, string(e["from"].Bytes[0]))
	// Output:
	// [7] mail
}

// The spec of a struct type is also for files of training data and for Python programs: all of them read the same
// features.
func ExampleCodec_Spec() {
	type Click struct {
		Item  int64    `tfparse:"item"`
		From  string   `tfparse:"from,default=web"`
		Words [][]byte `tfparse:"words"`
	}
	codec, err := bind.New[Click](nil)
	if err != nil {
		log.Fatal(err)
	}
	spec, err := codec.Spec().MarshalJSON()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", spec)
	// Output:
	// {"features":{"from":{"fixed_len":{"dtype":"string","shape":[],"default":["web"]}},"item":{"fixed_len":{"dtype":"int64","shape":[]}},"words":{"ragged":{"dtype":"string","partitions":[]}}}}
}

// Making the codec reports all errors of a type at once.
func ExampleNew() {
	type Order struct {
		Count int            `tfparse:"count,defualt=1"`
		Words map[string]int `tfparse:"words"`
		Sizes [][]int64      `tfparse:"sizes"`
		Buyer string
	}
	_, err := bind.New[Order](nil)
	fmt.Println(err)
	// Output:
	// type bind_test.Order: field Count (tag "count,defualt=1"): unknown option "defualt": want one of allow_missing, context, default, examples, round, row_lengths, row_limits, row_splits, row_starts, sequence, uniform_row_length, value_key, value_row_ids
	// type bind_test.Order: field Words (tag "words"): map[string]int cannot be a feature: want numbers, bool, string, []byte, slices or arrays
	// type bind_test.Order: field Sizes (tag "sizes"): partitions in the tag: want 1, one for each inner slice, got 0
	// type bind_test.Order: field Buyer: no tag: name a feature, or omit the field with tfparse:"-"
}

// A file is decoded to one struct for each record.
func ExampleCodec_All() {
	type Recipe struct {
		Title    string       `tfparse:"title"`
		Sections []string     `tfparse:"sections/name"`
		Steps    [][][]string `tfparse:"steps,value_key=steps/words,row_splits=sections/splits,row_lengths=steps/lengths"`
	}
	codec, err := bind.New[Recipe](nil)
	if err != nil {
		log.Fatal(err)
	}
	file, err := tfrecord.Open("../../testdata/recipes.tfrecord", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	for recipe, err := range codec.All(file.All()) {
		if err != nil {
			log.Fatal(err)
		}
		if len(recipe.Sections) > 2 {
			for i, section := range recipe.Sections {
				fmt.Printf("%s: %d steps of %q\n", recipe.Title, len(recipe.Steps[i]), section)
			}
		}
	}
	// Output:
	// Käsespätzle: 2 steps of "dough"
	// Käsespätzle: 1 steps of "onions"
	// Käsespätzle: 2 steps of ""
	// Apple crumble: 2 steps of "filling"
	// Apple crumble: 2 steps of "crumble"
	// Apple crumble: 1 steps of ""
}

// A ranking service gets a list of documents with a common context.
func ExampleNew_listOfExamples() {
	type Document struct {
		Title string   `tfparse:"title"`
		Words []string `tfparse:"words"`
		Rank  *int64   `tfparse:"rank"`
	}
	type Query struct {
		Context struct {
			Query string `tfparse:"query"`
		} `tfparse:",context"`
		Documents []Document `tfparse:",examples"`
	}
	codec, err := bind.New[Query](nil)
	if err != nil {
		log.Fatal(err)
	}
	record, err := example.ExampleList{
		HasContext: true,
		Context:    example.Example{"query": example.Strings("miso")},
		Examples: []example.Example{
			{"title": example.Strings("Miso soup"), "words": example.Strings("heat", "dashi")},
			{"title": example.Strings("Toast"), "rank": example.Int64s(2)},
		},
	}.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	var q Query
	if err := codec.Decode(record, &q); err != nil {
		log.Fatal(err)
	}
	for _, d := range q.Documents {
		fmt.Println(q.Context.Query, "->", d.Title, d.Words, d.Rank != nil)
	}
	// Output:
	// miso -> Miso soup [heat dashi] false
	// miso -> Toast [] true
}

// In a SequenceExample every field of the lists has an element for each step.
func ExampleNew_sequence() {
	type Session struct {
		Context struct {
			User string `tfparse:"user"`
		} `tfparse:",context"`
		Lists struct {
			Clicked []bool     `tfparse:"clicked"`
			Words   [][]string `tfparse:"words"`
		} `tfparse:",sequence"`
	}
	codec, err := bind.New[Session](nil)
	if err != nil {
		log.Fatal(err)
	}
	var s Session
	s.Context.User = "ada"
	s.Lists.Clicked = []bool{true, false}
	s.Lists.Words = [][]string{{"miso", "soup"}, {}}
	record, err := codec.Encode(&s)
	if err != nil {
		log.Fatal(err)
	}
	var again Session
	if err := codec.Decode(record, &again); err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Context.User, again.Lists.Clicked, again.Lists.Words)
	// Output:
	// ada [true false] [[miso soup] []]
}
