package model

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/internal/wire"
)

// FileName is the name of the file of a SavedModel directory that has its signatures.
const FileName = "saved_model.pb"

// Open reads the signatures of a SavedModel: of a directory with a saved_model.pb, or of
// such a file. The graph is skipped, whatever its size. Errors are those of the file
// system, or an [*Error].
func Open(name string) (*Model, error) {
	info, err := storage.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		dir := name
		name = storage.Join(dir, FileName)
		if info, err = storage.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return nil, notModel(dir)
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
	return read(newSource(f, info.Size(), name))
}

// notModel says what else a directory may be.
func notModel(dir string) error {
	reason := "it has no " + FileName
	if _, err := storage.Stat(storage.Join(dir, FileName+"txt")); err == nil {
		reason = "it has a " + FileName + "txt; convert it to " + FileName
	} else if _, err := storage.Stat(storage.Join(dir, "keras_metadata.pb")); err == nil {
		reason = "it has Keras' metadata, but no " + FileName
	} else if found, _ := storage.Glob(storage.Join(glob(dir), "*", FileName)); len(found) > 0 {
		const most = 5
		for i, f := range found {
			found[i] = filepath.Base(filepath.Dir(f))
		}
		if len(found) > most {
			found = append(found[:most], "…")
		}
		reason = "its subdirectories are models: name one of " + strings.Join(found, ", ")
	}
	return fmt.Errorf("model: %s: %w: %s", dir, ErrNotModel, reason)
}

// glob quotes a name in a pattern.
func glob(name string) string {
	if filepath.Separator == '\\' {
		return name // a backslash cannot quote there
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// Read is Open for a saved_model.pb of the given size that is read from r. Nothing of r is
// kept.
func Read(r io.ReaderAt, size int64) (*Model, error) { return read(newSource(r, size, "")) }

func read(s *source) (*Model, error) {
	m := &Model{}
	err := s.each(extent{0, s.size}, "", func(f field) error {
		if f.num != 2 { // meta_graphs
			if f.num != 1 || f.typ != wire.TypeVarint { // saved_model_schema_version
				return s.errorAt(f.at, "", ErrNotModel, fmt.Sprintf("it has field %d of type %v", f.num, f.typ))
			}
			return nil
		}
		if f.typ != wire.TypeBytes {
			return s.errorAt(f.at, "meta_graphs", ErrMessage, "want a message")
		}
		g, err := s.metaGraph(f.body)
		if err == nil {
			m.MetaGraphs = append(m.MetaGraphs, g)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(m.MetaGraphs) == 0 {
		return nil, s.errorAt(0, "", ErrNotModel, "it has no meta_graphs")
	}
	return m, nil
}

// metaGraph reads a MetaGraphDef.
func (s *source) metaGraph(e extent) (g MetaGraph, err error) {
	if err := s.element(e.lo, "meta_graphs"); err != nil {
		return g, err
	}
	parts := &graph{source: s}
	err = s.each(e, "meta_graphs", func(f field) error {
		if f.num > 7 || f.num == 3 || f.num == 4 || f.num == 6 { // saver, collections, assets
			return nil
		}
		if f.typ != wire.TypeBytes {
			return s.errorAt(f.at, "meta_graphs", ErrMessage, "want a message")
		}
		switch f.num {
		case 1:
			return s.metaInfo(f.body, &g)
		case 2: // graph_def: its nodes are skipped
			return s.each(f.body, "meta_graphs.graph_def", func(f field) error {
				if f.num == 2 && f.typ == wire.TypeBytes {
					parts.libraries = append(parts.libraries, f.body)
					return s.element(f.at, "meta_graphs.graph_def.library")
				}
				return nil
			})
		case 5:
			sig, err := s.signature(f.body)
			g.Signatures = append(g.Signatures, sig)
			return err
		case 7:
			parts.objects = append(parts.objects, f.body)
			return s.element(f.at, "meta_graphs.object_graph_def")
		}
		return nil
	})
	if err != nil {
		return g, err
	}
	// TensorFlow's own signatures, such as __saved_model_init_op, are not for callers.
	g.Signatures = slices.DeleteFunc(g.Signatures, func(s Signature) bool { return strings.HasPrefix(s.Name, "__") })
	slices.SortStableFunc(g.Signatures, func(a, b Signature) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(g.Signatures); i++ {
		if g.Signatures[i].Name == g.Signatures[i-1].Name {
			return g, s.errorAt(e.lo, "meta_graphs.signature_def", ErrMessage, fmt.Sprintf("signature %q is there twice", g.Signatures[i].Name))
		}
	}
	return g, parts.resolve(g.Signatures)
}

// metaInfo reads a MetaInfoDef: the tags and the version.
func (s *source) metaInfo(e extent, g *MetaGraph) error {
	const path = "meta_graphs.meta_info_def"
	return s.each(e, path, func(f field) (err error) {
		switch f.num {
		case 4:
			var tag string
			if err = s.element(f.at, path); err == nil {
				tag, err = s.text(f, path)
			}
			g.Tags = append(g.Tags, tag)
		case 5:
			g.TensorFlow, err = s.text(f, path)
		}
		return err
	})
}
