// Write_schema writes the specs of ../vectors/parse as schemas, where a schema can
// say them, one JSON object a line, for schema.py.
//
//	go run write_schema.go
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/featurepb"
)

// every is how many specs of the vectors there are for one that is written.
const every = 4

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) error {
	names, err := filepath.Glob(filepath.Join("..", "vectors", "parse", "*.jsonl*"))
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	enc := json.NewEncoder(out)
	for _, name := range names {
		err := lines(name, func(line []byte) error {
			var c struct {
				Name string
				Spec json.RawMessage
			}
			var spec feature.Spec
			if err := json.Unmarshal(line, &c); err != nil {
				return err
			}
			if c.Spec == nil || spec.UnmarshalJSON(c.Spec) != nil || spec.Validate() != nil {
				return nil // the header, or a spec that makes no sense
			}
			b, err := spec.MarshalJSON()
			if err != nil || seen[string(b)] {
				return err
			}
			text, err := featurepb.ToSchema(spec)
			if err != nil {
				return nil // it cannot be said
			}
			seen[string(b)] = true
			if len(seen)%every != 0 {
				return nil
			}
			return enc.Encode(map[string]any{"name": c.Name, "spec": json.RawMessage(b), "schema": string(text)})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func lines(name string, f func([]byte) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			return err
		}
	}
	br := bufio.NewReader(r)
	for {
		line, err := br.ReadBytes('\n')
		if len(line) > 0 {
			if err := f(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
