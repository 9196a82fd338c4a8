package schema

import "github.com/tfparse/tfparse/cmd/tfparse/internal/cli"

// writtenAs are the extensions of specs in each language.
var writtenAs = [...][]string{emitJSON: {".json"}, emitPython: {".py"}, emitTFMD: {".pbtxt", ".textproto", ".prototxt", ".txt"}, emitGo: {".go"}}

// checkSpecName refuses the name of an output that contradicts the language of the spec, or
// of the schema, that would be written.
func checkSpecName(name string, language emission) error {
	what := [...]string{emitJSON: "a spec in JSON", emitPython: "a spec in Python", emitTFMD: "the text of a schema", emitGo: "a spec in Go"}[language]
	return cli.CheckName(name, what, writtenAs[language], "--emit chooses the language")
}
