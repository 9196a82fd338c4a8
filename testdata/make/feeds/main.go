// Feeds reads models, specs and records, one JSON document a line, and prints the request that feeds them
// to the model, for calls.py.
//
//	go run ./feeds <calls.jsonl
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/model"
)

type call struct {
	Model   string
	Spec    feature.Spec
	Records [][]byte
}

type request struct {
	Inputs []string `json:"inputs"` // the structure that was found
	GRPC   []byte   `json:"grpc"`
	REST   string   `json:"rest"` // empty if JSON cannot carry it
}

func main() {
	log.SetFlags(0)
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var c call
		if err := in.Decode(&c); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		r, err := answer(&c)
		if err != nil {
			log.Fatalf("%s: %v", c.Model, err)
		}
		if err := out.Encode(r); err != nil {
			log.Fatal(err)
		}
	}
}

func answer(c *call) (r request, err error) {
	m, err := model.Open(c.Model)
	if err != nil {
		return r, err
	}
	sig, err := m.Signature("")
	if err != nil {
		return r, err
	}
	for _, in := range sig.Inputs {
		r.Inputs = append(r.Inputs, in.String())
	}
	binding, err := model.Bind(sig, c.Spec, &model.BindOptions{Convert: model.RoundFloats})
	if err != nil {
		return r, err
	}
	parser, err := feature.NewParser(c.Spec, nil)
	if err != nil {
		return r, err
	}
	batch, err := parser.Parse(c.Records...)
	if err != nil {
		return r, err
	}
	feeds, err := binding.Feeds(nil, batch)
	if err != nil {
		return r, err
	}
	if r.GRPC, err = model.AppendPredictRequest(nil, model.ModelSpec{Name: "m"}, feeds); err != nil {
		return r, err
	}
	rest, err := model.AppendRESTRequest(nil, model.ModelSpec{}, feeds)
	if errors.Is(err, model.ErrRequest) {
		return r, nil
	}
	r.REST = string(rest)
	return r, err
}
