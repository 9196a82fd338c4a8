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

// vocabularies holds the values of --vocab.
type vocabularies struct {
	values []string // NAME=FILE
}

// add defines the flag.
func (v *vocabularies) add(fs *pflag.FlagSet) {
	fs.StringArrayVar(&v.values, "vocab", nil, "tokens of a vocabulary, `NAME=FILE`; repeatable")
	fs.SetAnnotation("vocab", cli.FilesNote, nil)
}

// files returns the files of the flags, for a check of standard input.
func (v *vocabularies) files() (all []scan.NamedFile) {
	for _, value := range v.values {
		_, name, _ := strings.Cut(value, "=")
		all = append(all, scan.NamedFile{Flag: "--vocab", Name: name})
	}
	return all
}

// read returns the tokens of each vocabulary. A natural_language_domain of the schema must name the vocabulary.
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

// warnVocabularies warns about vocabularies of a schema that are not given. Their tokens are not described.
func warnVocabularies(e *cli.Env, schema *pb.Schema, given map[string][]string) {
	for _, name := range vocabulariesOf(schema) {
		if given[name] == nil {
			e.Console.Print(console.OneLine(fmt.Sprintf("vocabulary %q of the schema is not given; name it with --vocab %s=FILE", name, name)))
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

// walkFeatures calls visit for all features, and for the features in their struct domains.
func walkFeatures(all []*pb.Feature, visit func(*pb.Feature)) {
	for _, f := range all {
		visit(f)
		walkFeatures(f.GetStructDomain().GetFeature(), visit)
	}
}

// readVocabulary returns the tokens of a vocabulary: the lines of a text, which may be compressed with gzip, or the
// records of a TFRecord. As TensorFlow Data Validation does, it strips white space.
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
				break // not a TFRecord: a text
			}
			if !utf8.Valid(rec) {
				return nil, fmt.Errorf("record %d is not UTF-8: %s", len(tokens), quotePrefix(rec))
			}
			tokens = append(tokens, stripSpace(string(rec)))
		}
	}
	b, err := gunzip(b)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(b) {
		if !utf8.Valid(line) {
			return nil, fmt.Errorf("line %d is not UTF-8: %s", len(tokens)+1, quotePrefix(line))
		}
		tokens = append(tokens, stripSpace(string(line)))
	}
	return tokens, nil
}

// maxQuoted is the number of bytes of an invalid token in a message.
const maxQuoted = 60

// quotePrefix quotes the beginning of b.
func quotePrefix(b []byte) string {
	if len(b) <= maxQuoted {
		return strconv.Quote(string(b))
	}
	return fmt.Sprintf("%q… (%d bytes)", b[:maxQuoted], len(b))
}

// gunzip decompresses gzip data. It returns other data unchanged.
func gunzip(b []byte) ([]byte, error) {
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

// maxVocabulary is the maximum size of a decompressed vocabulary in bytes.
const maxVocabulary = 1 << 30

// stripSpace strips white space as Python's str.strip does.
func stripSpace(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
}
