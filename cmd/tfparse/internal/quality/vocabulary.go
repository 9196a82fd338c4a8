package quality

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
)

// vocabularies are the values of --vocab: names, and the files of their tokens.
type vocabularies struct{ values []string }

func (v *vocabularies) add(fs *pflag.FlagSet) {
	fs.StringArrayVar(&v.values, "vocab", nil, "tokens of a vocabulary, `NAME=FILE`; repeatable")
	fs.SetAnnotation("vocab", cli.FilesNote, nil)
}

// files are the flags and the files that they name.
func (v *vocabularies) files() (all []scan.NamedFile) {
	for _, value := range v.values {
		_, name, _ := strings.Cut(value, "=")
		all = append(all, scan.NamedFile{Flag: "--vocab", Name: name})
	}
	return all
}

// read reads the vocabularies, which a natural_language_domain of the schema must name.
func (v *vocabularies) read(e *cli.Env, schema *pb.Schema) (map[string][]string, error) {
	all := map[string][]string{}
	named := vocabulariesOf(schema)
	for _, value := range v.values {
		name, file, ok := strings.Cut(value, "=")
		switch {
		case !ok || name == "" || file == "":
			return nil, cli.Usagef("--vocab %s: want NAME=FILE", value)
		case all[name] != nil:
			return nil, cli.Usagef("--vocab %s: there are two vocabularies %s", value, name)
		case len(named) == 0:
			return nil, cli.Usagef("--vocab %s: no natural_language_domain of a schema names a vocabulary", value)
		case !slices.Contains(named, name):
			return nil, cli.Usagef("--vocab %s: the natural_language_domains of the schema name %q", value, named)
		}
		b, err := scan.ReadFile(e, file)
		if err == nil {
			all[name], err = readVocabulary(b)
		}
		if err != nil {
			return nil, cli.Usagef("--vocab %s: %v", value, err)
		}
	}
	return all, nil
}

// warnMissing warns about vocabularies of a schema that were not given: their tokens are not described.
func warnMissing(e *cli.Env, schema *pb.Schema, given map[string][]string) {
	for _, name := range vocabulariesOf(schema) {
		if given[name] == nil {
			e.Console.Print(console.OneLine(fmt.Sprintf("the schema names the vocabulary %q, which was not given: without --vocab %s=FILE its tokens are not described", name, name)))
		}
	}
}

// vocabulariesOf returns the names of the vocabularies of a schema.
func vocabulariesOf(schema *pb.Schema) (all []string) {
	walkFeatures(schema.GetFeature(), func(f *pb.Feature) {
		if name := f.GetNaturalLanguageDomain().GetVocabulary(); name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	})
	return all
}

// walkFeatures calls see for all features, those inside of others included.
func walkFeatures(all []*pb.Feature, see func(*pb.Feature)) {
	for _, f := range all {
		see(f)
		walkFeatures(f.GetStructDomain().GetFeature(), see)
	}
}

// readVocabulary reads tokens without the spaces around them, as TensorFlow Data
// Validation does: the lines of a text, or the records of a TFRecord, which may be
// compressed, the text with gzip.
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
				return nil, fmt.Errorf("record %d is not UTF-8: %s", len(tokens), beginning(rec))
			}
			tokens = append(tokens, stripped(string(rec)))
		}
	}
	b, err := gunzipped(b)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(b) {
		if !utf8.Valid(line) {
			return nil, fmt.Errorf("line %d is not UTF-8: %s", len(tokens)+1, beginning(line))
		}
		tokens = append(tokens, stripped(string(line)))
	}
	return tokens, nil
}

// maxShown is how many bytes of what is no token a message shows.
const maxShown = 60

// beginning is what b begins with, quoted.
func beginning(b []byte) string {
	if len(b) <= maxShown {
		return strconv.Quote(string(b))
	}
	return fmt.Sprintf("%q… (%d bytes)", b[:maxShown], len(b))
}

// gunzipped is what gzip has compressed, and anything else as it is.
func gunzipped(b []byte) ([]byte, error) {
	if !bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	b, err = io.ReadAll(io.LimitReader(z, maxVocabulary+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("gzip: %w", err)
	case len(b) > maxVocabulary:
		return nil, fmt.Errorf("gzip: more than %d bytes", maxVocabulary)
	}
	return b, nil
}

// maxVocabulary bounds what a compressed text unfolds to.
const maxVocabulary = 1 << 30

// stripped is a token without the white space around it, as Python defines it.
func stripped(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
}
