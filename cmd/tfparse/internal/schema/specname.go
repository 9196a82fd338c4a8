package schema

import (
	"slices"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// writtenAs are the languages of specs, by the extensions that name them.
var writtenAs = map[string][]emission{
	".json": {emitJSON}, ".py": {emitPython}, ".go": {emitGo}, ".pb": nil,
	".pbtxt": {emitTFMD}, ".textproto": {emitTFMD}, ".prototxt": {emitTFMD}, ".txt": {emitTFMD},
}

// checkSpecName refuses the name of an output that contradicts the language of the spec, or
// of the schema, that would be written.
func checkSpecName(name string, language emission) error {
	named, ok := writtenAs[cli.LowerExt(name)]
	if !cli.IsFile(name) || !ok || slices.Contains(named, language) {
		return nil
	}
	what := [...]string{"a spec in JSON", "a spec in Python", "the text of a schema", "a spec in Go"}[language]
	end := [...]string{".json", ".py", ".pbtxt", ".go"}[language]
	return cli.Usagef("-o %s: %s would be written, whose name ends in %s; --emit chooses the language", name, what, end)
}
