package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
)

// vocabularies are the values of --vocab: names, and the files of their tokens.
type vocabularies struct{ values []string }

func (v *vocabularies) add(fs *pflag.FlagSet) {
	fs.StringArrayVar(&v.values, "vocab", nil, "take tokens of a vocabulary from `NAME=FILE`; may be repeated")
	fs.SetAnnotation("vocab", filesNote, nil)
}

// files are the flags and the files that they name.
func (v *vocabularies) files() (all []namedFile) {
	for _, value := range v.values {
		_, name, _ := strings.Cut(value, "=")
		all = append(all, namedFile{"--vocab", name})
	}
	return all
}

// read reads the vocabularies, which a natural_language_domain of the schema must name.
func (v *vocabularies) read(e *env, schema *pb.Schema) (map[string][]string, error) {
	all := map[string][]string{}
	var named []string
	walkFeatures(schema.GetFeature(), func(f *pb.Feature) {
		if name := f.GetNaturalLanguageDomain().GetVocabulary(); name != "" && !slices.Contains(named, name) {
			named = append(named, name)
		}
	})
	for _, value := range v.values {
		name, file, ok := strings.Cut(value, "=")
		switch {
		case !ok || name == "" || file == "":
			return nil, usagef("--vocab %s: want NAME=FILE", value)
		case all[name] != nil:
			return nil, usagef("--vocab %s: there are two vocabularies %s", value, name)
		case len(named) == 0:
			return nil, usagef("--vocab %s: no natural_language_domain of a schema names a vocabulary", value)
		case !slices.Contains(named, name):
			return nil, usagef("--vocab %s: the natural_language_domains of the schema name %q", value, named)
		}
		b, err := e.readFile(file)
		if err == nil {
			all[name], err = readVocabulary(b)
		}
		if err != nil {
			return nil, usagef("--vocab %s: %v", value, err)
		}
	}
	return all, nil
}

// walkFeatures calls see for all features, those inside of others included.
func walkFeatures(all []*pb.Feature, see func(*pb.Feature)) {
	for _, f := range all {
		see(f)
		walkFeatures(f.GetStructDomain().GetFeature(), see)
	}
}

// readVocabulary reads tokens without the spaces around them, as TensorFlow Data
// Validation does: the lines of a text, or the records of a TFRecord.
func readVocabulary(b []byte) ([]string, error) {
	tokens := []string{}
	if r := tfrecord.NewReader(bytes.NewReader(b), nil); len(b) > 0 {
		for {
			rec, err := r.Next()
			if err != nil {
				if err == io.EOF {
					return tokens, nil
				}
				if len(tokens) > 0 {
					return nil, err
				}
				break // a text
			}
			if !utf8.Valid(rec) {
				return nil, fmt.Errorf("record %d is not UTF-8: %q", len(tokens), rec)
			}
			tokens = append(tokens, stripped(string(rec)))
		}
	}
	for line := range bytes.Lines(b) {
		if !utf8.Valid(line) {
			return nil, fmt.Errorf("line %d is not UTF-8: %q", len(tokens)+1, line)
		}
		tokens = append(tokens, stripped(string(line)))
	}
	return tokens, nil
}

// stripped is a token without the spaces around it, of which Python has some more.
func stripped(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
}
