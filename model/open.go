package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/internal/wire"
)

// FileName is the name of the file with the signatures in a SavedModel directory.
const FileName = "saved_model.pb"

// Open reads the signatures of a SavedModel, which is a directory with a saved_model.pb, or that
// file. It skips the graph. The error is an [*Error], or an error of the file system.
func Open(name string) (*Model, error) {
	info, err := storage.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		dir := name
		name = storage.Join(dir, FileName)
		if info, err = storage.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return nil, notModelDirectory(dir)
		} else if err != nil {
			return nil, err
		}
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("model: %s: %w: not a regular file", name, ErrNotModel)
	}
	f, err := storage.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readModel(newSource(f, info.Size(), name))
}

// notModelDirectory returns an error for a directory without a model, with the likely reason.
func notModelDirectory(dir string) error {
	reason := "it has no " + FileName
	if _, err := storage.Stat(storage.Join(dir, FileName+"txt")); err == nil {
		reason = "it has a " + FileName + "txt; convert it to " + FileName
	} else if _, err := storage.Stat(storage.Join(dir, "keras_metadata.pb")); err == nil {
		reason = "it has metadata of Keras, but no " + FileName
	} else if models, _ := storage.Glob(context.Background(), storage.Join(quotePattern(dir), "*", FileName)); len(models) > 0 {
		const most = 5
		for i, f := range models {
			models[i] = filepath.Base(filepath.Dir(f))
		}
		if len(models) > most {
			models = append(models[:most], "…")
		}
		reason = "its subdirectories are models: name one of " + strings.Join(models, ", ")
	}
	return fmt.Errorf("model: %s: %w: %s", dir, ErrNotModel, reason)
}

// quotePattern escapes the special characters of a pattern in a name.
func quotePattern(name string) string {
	if filepath.Separator == '\\' {
		return name // a backslash cannot quote on Windows
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// Read is Open for a saved_model.pb of the given size. It does not retain r.
func Read(r io.ReaderAt, size int64) (*Model, error) { return readModel(newSource(r, size, "")) }

func readModel(s *source) (*Model, error) {
	m := &Model{}
	for e := (extent{0, s.size}); e.lo < e.hi; {
		at := e.lo
		f, err := s.nextField(&e, "")
		if bad, ok := err.(*Error); ok && !errors.Is(err, ErrLimit) && !(errors.Is(err, io.ErrUnexpectedEOF) && isModelField(f)) {
			return nil, s.notModel(at, bad.Err.Error())
		}
		switch {
		case err != nil:
			return nil, err
		case !isModelField(f):
			return nil, s.notModel(at, fmt.Sprintf("it has field %d of type %v", f.num, f.typ))
		case f.num == 2:
			g, err := s.readMetaGraph(f.body)
			if err != nil {
				return nil, err
			}
			m.MetaGraphs = append(m.MetaGraphs, g)
		}
	}
	if len(m.MetaGraphs) == 0 {
		return nil, s.notModel(0, "it has no meta_graphs")
	}
	return m, nil
}

// isModelField reports whether a field belongs to a SavedModel: saved_model_schema_version or meta_graphs.
func isModelField(f field) bool {
	return f.num == 1 && f.typ == wire.TypeVarint || f.num == 2 && f.typ == wire.TypeBytes
}

// fileFormats are the first bytes of files that users confuse with a saved_model.pb.
var fileFormats = []struct{ begin, reason string }{
	{"{", "it looks like JSON"},
	{"PK\x03\x04", "it is a zip archive (.keras?): export a SavedModel"},
	{"\x89HDF", "it is an HDF5 file (.h5 of Keras?): export a SavedModel"},
	{"\x1f\x8b", "it is compressed with gzip"},
	{"saved_model_schema_version", "it is the text form: convert it to " + FileName},
}

// notModel returns the error for a file that is not a SavedModel. If the format of the file is known,
// the error names the format instead of the reason.
func (s *source) notModel(at int64, reason string) error {
	head := make([]byte, min(s.size, 64))
	n, _ := s.file.ReadAt(head, 0)
	text := strings.TrimLeft(string(head[:n]), " \t\r\n")
	isText := n > 0 && !strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || r < ' ' && !unicode.IsSpace(r) })
	for _, f := range fileFormats {
		if strings.HasPrefix(text, f.begin) {
			return s.errorAt(at, "", ErrNotModel, f.reason)
		}
	}
	switch {
	case s.size == 0:
		reason = "the file is empty"
	case isText && n >= 4:
		reason = "it is text"
	}
	return s.errorAt(at, "", ErrNotModel, reason)
}

// readMetaGraph reads a MetaGraphDef.
func (s *source) readMetaGraph(e extent) (g MetaGraph, err error) {
	if err := s.countElement(e.lo, "meta_graphs"); err != nil {
		return g, err
	}
	parts := &graph{source: s}
	err = s.eachField(e, "meta_graphs", func(f field) error {
		if f.num > 7 || f.num == 3 || f.num == 4 || f.num == 6 { // saver, collections, assets
			return nil
		}
		if f.typ != wire.TypeBytes {
			return s.errorAt(f.offset, "meta_graphs", ErrMessage, "want a message")
		}
		switch f.num {
		case 1:
			return s.readMetaInfo(f.body, &g)
		case 2: // graph_def: its nodes are skipped
			return s.eachField(f.body, "meta_graphs.graph_def", func(f field) error {
				if f.num == 2 && f.typ == wire.TypeBytes {
					parts.libraries = append(parts.libraries, f.body)
					return s.countElement(f.offset, "meta_graphs.graph_def.library")
				}
				return nil
			})
		case 5:
			sig, err := s.readSignature(f.body)
			g.Signatures = append(g.Signatures, sig)
			return err
		case 7:
			parts.objects = append(parts.objects, f.body)
			return s.countElement(f.offset, "meta_graphs.object_graph_def")
		}
		return nil
	})
	if err != nil {
		return g, err
	}
	// Remove signatures for TensorFlow itself, such as __saved_model_init_op.
	g.Signatures = slices.DeleteFunc(g.Signatures, func(s Signature) bool { return strings.HasPrefix(s.Name, "__") })
	slices.SortStableFunc(g.Signatures, func(a, b Signature) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(g.Signatures); i++ {
		if g.Signatures[i].Name == g.Signatures[i-1].Name {
			return g, s.errorAt(e.lo, "meta_graphs.signature_def", ErrMessage, fmt.Sprintf("signature %q occurs twice", g.Signatures[i].Name))
		}
	}
	return g, parts.resolveSignatures(g.Signatures)
}

// readMetaInfo reads a MetaInfoDef: the tags and the version.
func (s *source) readMetaInfo(e extent, g *MetaGraph) error {
	const path = "meta_graphs.meta_info_def"
	return s.eachField(e, path, func(f field) (err error) {
		switch f.num {
		case 4:
			var tag string
			if err = s.countElement(f.offset, path); err == nil {
				tag, err = s.loadText(f, path)
			}
			g.Tags = append(g.Tags, tag)
		case 5:
			g.TensorFlow, err = s.loadText(f, path)
		}
		return err
	})
}
