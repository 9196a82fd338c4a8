// Package protomessage reads records of any protobuf message that a .proto file or a FileDescriptorSet describes. It converts
// them to protobuf's JSON and back, lists their fields, and evaluates expressions about fields.
//
// An unknown field in a record is an error with its offset, because the JSON of the message would lose it.
package protomessage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/tfparse/tfparse/internal/nearest"
	"github.com/tfparse/tfparse/internal/storage"
)

// A Type is the message type of records. It is safe for concurrent use.
type Type struct {
	desc  protoreflect.MessageDescriptor // the fields
	types *dynamicpb.Types               // messages and extensions of all files, for Any and for extensions

	// Changed counts the printed records that Encode does not restore byte for byte from their JSON. The fields may be in
	// another order, for example.
	Changed atomic.Int64
	Printed atomic.Int64 // number of printed records
}

// Name returns the full name of the message.
func (t *Type) Name() string { return string(t.desc.FullName()) }

// Load reads the description of a message from a file: a .proto file, or a FileDescriptorSet under any other extension.
func Load(ctx context.Context, file, message string) (*Type, error) {
	load := readDescriptors
	if strings.HasSuffix(file, ".proto") {
		load = compile
	}
	files, err := load(ctx, file)
	if err != nil {
		return nil, err
	}
	desc, err := files.FindDescriptorByName(protoreflect.FullName(message))
	if m, ok := desc.(protoreflect.MessageDescriptor); ok && err == nil {
		return &Type{desc: m, types: dynamicpb.NewTypes(files)}, nil
	}
	var names []string
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		names = appendNames(names, f.Messages())
		return true
	})
	question := nearest.Question(message, names)
	for _, name := range names {
		if strings.HasSuffix(name, "."+message) {
			question = fmt.Sprintf("; is it %q?", name)
		}
	}
	return nil, fmt.Errorf("%s: no message %q%s", file, message, question)
}

// appendNames appends the full names of messages and of the messages in them.
func appendNames(names []string, messages protoreflect.MessageDescriptors) []string {
	for i := range messages.Len() {
		m := messages.Get(i)
		names = appendNames(append(names, string(m.FullName())), m.Messages())
	}
	return names
}

// readDescriptors reads a FileDescriptorSet, as protoc writes it with --include_imports.
func readDescriptors(_ context.Context, file string) (*protoregistry.Files, error) {
	b, err := storage.ReadFile(file)
	if err != nil {
		return nil, fileError(file, err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(b, &set); err != nil || len(set.File) == 0 {
		return nil, fmt.Errorf("%s: not a FileDescriptorSet, and not a .proto file", file)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, fmt.Errorf("%s: %s; protoc needs --include_imports", file, reason(err))
	}
	return files, nil
}

// compile compiles a .proto file. Imports are looked up in its directory, in the directories above it and in the working
// directory, so no flag names their root.
func compile(ctx context.Context, file string) (*protoregistry.Files, error) {
	full, err := filepath.Abs(file)
	if err == nil {
		_, err = os.Stat(full)
	}
	if err != nil {
		return nil, fileError(file, err)
	}
	var dirs []string
	for dir := filepath.Dir(full); ; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	source := &protocompile.SourceResolver{ImportPaths: append(dirs, "."), Accessor: func(path string) (io.ReadCloser, error) { return os.Open(path) }}
	// A .proto file of somebody else must open only .proto files. The import directories include the root.
	inside := protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
		if !filepath.IsLocal(filepath.FromSlash(path)) || !strings.HasSuffix(path, ".proto") {
			return protocompile.SearchResult{}, errors.New(`want a .proto file below an import directory, without ".."`)
		}
		return source.FindFileByPath(path)
	})
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(inside)}
	linked, err := compiler.Compile(ctx, filepath.Base(file))
	if err != nil {
		if position, ok := strings.CutPrefix(err.Error(), filepath.Base(file)+":"); ok {
			return nil, fmt.Errorf("%s:%s", file, position)
		}
		return nil, fmt.Errorf("%s: %w", file, err) // an error in an import names its file
	}
	files := &protoregistry.Files{}
	return files, register(files, linked[0])
}

// register adds a file and its imports to files.
func register(files *protoregistry.Files, file protoreflect.FileDescriptor) error {
	if _, err := files.FindFileByPath(file.Path()); err == nil {
		return nil
	}
	imports := file.Imports()
	for i := range imports.Len() {
		if err := register(files, imports.Get(i).FileDescriptor); err != nil {
			return err
		}
	}
	return files.RegisterFile(file)
}

// fileError returns an error that begins with the name of the file.
func fileError(name string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// reason returns the text of an error of protobuf without the prefix. The runtime varies the space after the prefix.
func reason(err error) string {
	return strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")
}
