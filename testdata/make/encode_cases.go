// Encode_cases writes random specs with records that package feature encoded, one JSON
// document a line. How TensorFlow reads them is what encode.py makes vectors of.
//
//	go run encode_cases.go >cases.jsonl
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/random"
)

func main() {
	out := json.NewEncoder(os.Stdout)
	for seed, n := uint64(1<<20), 0; n < 400; seed++ {
		c, ok := makeCase(random.New(nil, seed))
		if !ok {
			continue
		}
		c.Name = fmt.Sprintf("encoded %d", n)
		if err := out.Encode(c); err != nil {
			log.Fatal(err)
		}
		n++
	}
}

// A testCase is a line.
type testCase struct {
	Call    string          `json:"call"`
	Name    string          `json:"name"`
	Records [][]byte        `json:"records"`
	Spec    json.RawMessage `json:"spec"`
	Tags    []string        `json:"tags"`
}

// makeCase makes a case without a name. Some specs make none: TensorFlow or Python cannot
// express them.
func makeCase(g *random.Gen) (c testCase, ok bool) {
	spec := g.Spec()
	c.Call = map[example.MessageType]string{example.TypeExample: "parse_example", example.TypeSequence: "parse_sequence_example"}[spec.Message()]
	text, err := spec.MarshalJSON()
	if err != nil {
		log.Fatal(err)
	}
	if c.Call == "" || bytes.Contains(text, []byte("b64:")) {
		return c, false // TensorFlow has no call for it, or Python no name
	}
	for _, key := range []string{"v", "n", "m"} {
		if bytes.Contains(text, []byte(`"row_splits":"`+key+`"`)) {
			return c, false // a shared key may have to be empty, which parse_single_… refuses for row_splits
		}
	}
	c.Spec = text
	parser, err := feature.NewParser(spec, nil)
	if err != nil {
		log.Fatal(err)
	}
	batch := parser.NewBatch()
	for range 1 + g.N(4) {
		_ = batch.Append(g.Record(spec, false)) // a record that does not fit is not in the batch
	}
	if c.Records, err = batch.Encode(); err != nil || len(c.Records) == 0 {
		return c, false
	}
	if g.OneIn(3) {
		c.Call = "parse_single_" + c.Call[len("parse_"):]
		c.Records = c.Records[:1]
	}
	c.Tags = []string{"encode"}
	for _, kind := range []string{"fixed_len", "fixed_len_sequence", "var_len", "sparse", "ragged"} {
		if bytes.Contains(text, []byte(`"`+kind+`":`)) {
			c.Tags = append(c.Tags, kind)
		}
	}
	return c, true
}
