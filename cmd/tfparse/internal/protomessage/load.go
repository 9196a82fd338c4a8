// Package protomessage reads records of any protobuf message, as a .proto file or a FileDescriptorSet describes it: as
// protobuf's JSON and back, as a list of fields, and with expressions about fields.
//
// A record must hold fields of the description only. Decoders keep unknown fields aside and their JSON drops them, so an
// unknown field is an error here, with its byte in the record.
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

// A Type is the message type of records. It may be used by several goroutines.
type Type struct {
	desc  protoreflect.MessageDescriptor
	types *dynamicpb.Types // messages and extensions of all files, for Any and for extensions

	// Changed counts the printed records whose JSON gives a record with other bytes, for example because the fields of the
	// record were in another order.
	Changed atomic.Int64
	Printed atomic.Int64 // number of printed records
}

// Name returns the full name of the message.
func (t *Type) Name() string { return string(t.desc.FullName()) }

// Load reads the description of a message from a .proto file, or from a FileDescriptorSet if file has another ending.
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
	b, err := readFile(file)
	if err != nil {
		return nil, err
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(b, &set); err != nil || len(set.File) == 0 {
		return nil, fmt.Errorf("%s: not a FileDescriptorSet, and not named .proto", file)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, fmt.Errorf("%s: %s; protoc needs --include_imports", file, reason(err))
	}
	return files, nil
}

// compile compiles a .proto file. Its imports are looked up in its folder, in the folders above that, and in the working
// directory, so that no flag has to name their root.
func compile(ctx context.Context, file string) (*protoregistry.Files, error) {
	full, err := filepath.Abs(file)
	if err == nil {
		_, err = os.Stat(full)
	}
	if err != nil {
		return nil, fileError(file, err)
	}
	var folders []string
	for dir := filepath.Dir(full); ; dir = filepath.Dir(dir) {
		folders = append(folders, dir)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	resolver := &protocompile.SourceResolver{ImportPaths: append(folders, "."), Accessor: func(path string) (io.ReadCloser, error) { return os.Open(path) }}
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(resolver)}
	linked, err := compiler.Compile(ctx, filepath.Base(file))
	if err != nil {
		if place, ok := strings.CutPrefix(err.Error(), filepath.Base(file)+":"); ok {
			return nil, fmt.Errorf("%s:%s", file, place)
		}
		return nil, fmt.Errorf("%s: %w", file, err) // in an import
	}
	files := &protoregistry.Files{}
	return files, register(files, linked[0])
}

// register adds a file and its imports.
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

// readFile reads a whole file, of the system or of an object store.
func readFile(name string) ([]byte, error) {
	f, err := storage.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	defer f.Close()
	return io.ReadAll(f)
}

// fileError returns an error that begins with the name of the file.
func fileError(name string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// reason returns the text of an error of protobuf without its name. The runtime varies the space after the name.
func reason(err error) string {
	return strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: ")
}
