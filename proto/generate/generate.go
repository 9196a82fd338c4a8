package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// A root is a tree of .proto files that import one another.
type root struct {
	dir    string // where the tree stands in the project, with slashes
	prefix string // what precedes a file's path in the tree to make its import path
}

var roots = []root{
	{dir: "proto", prefix: "tfparse/"},
	{dir: "internal/linktest", prefix: ""}, // TensorFlow's own paths, for a test
}

// A file is one generated Go file.
type file struct {
	name    string
	content []byte
}

// generate compiles the tree r of the project at top and returns the Go files
// that belong beside its .proto files. It writes nothing.
func generate(top string, r root) ([]file, error) {
	dir := filepath.Join(top, filepath.FromSlash(r.dir))
	names, err := protoFiles(dir)
	if err != nil {
		return nil, err
	}
	open := func(name string) (string, error) { // from import path to place on disk
		rest, ok := strings.CutPrefix(name, r.prefix)
		if !ok {
			return "", fs.ErrNotExist
		}
		return filepath.Join(dir, filepath.FromSlash(rest)), nil
	}
	for i, name := range names {
		names[i] = path.Join(r.prefix, name)
	}
	request, err := compile(names, open)
	if err != nil {
		return nil, err
	}
	plugin, err := protogen.Options{}.New(request)
	if err != nil {
		return nil, err
	}
	plugin.SupportedFeatures = internal_gengo.SupportedFeatures
	var out []file
	for _, f := range plugin.Files {
		if !f.Generate {
			continue
		}
		content, err := internal_gengo.GenerateFile(plugin, f).Content()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Desc.Path(), err)
		}
		source, err := open(f.Desc.Path())
		if err != nil {
			return nil, err
		}
		out = append(out, file{strings.TrimSuffix(source, ".proto") + ".pb.go", content})
	}
	return out, nil
}

// protoFiles lists the .proto files below dir, sorted, as paths with slashes
// relative to dir.
func protoFiles(dir string) ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".proto" {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// compile turns the named files into what protoc would hand to a generator:
// the descriptors of the files and of everything they import, dependencies
// first.
func compile(names []string, open func(name string) (string, error)) (*pluginpb.CodeGeneratorRequest, error) {
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(protocompile.ResolverFunc(func(name string) (protocompile.SearchResult, error) {
			place, err := open(name)
			if err != nil {
				return protocompile.SearchResult{}, err
			}
			f, err := os.Open(place)
			return protocompile.SearchResult{Source: f}, err
		})),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	compiled, err := compiler.Compile(context.Background(), names...)
	if err != nil {
		return nil, err
	}
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: names,
		Parameter:      proto.String("paths=source_relative"),
	}
	seen := map[string]bool{}
	var add func(f protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		request.ProtoFile = append(request.ProtoFile, descriptor(f))
	}
	for _, f := range compiled {
		add(f)
	}
	return request, nil
}

// descriptor returns f as a message, with the comments of the source.
func descriptor(f protoreflect.FileDescriptor) *descriptorpb.FileDescriptorProto {
	if r, ok := f.(interface {
		FileDescriptorProto() *descriptorpb.FileDescriptorProto
	}); ok { // the compiler's own descriptors still have it
		return r.FileDescriptorProto()
	}
	return protodesc.ToFileDescriptorProto(f)
}
