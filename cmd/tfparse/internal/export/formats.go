package export

import (
	"slices"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/internal/columnfile"
)

// formatName is the value of --to.
type formatName uint8

const (
	byName formatName = iota // the extension of the output says it
	toLines
	toCSV
	toNPZ
	toColumns // and above: the registered formats, in the order of columnfile.Names
)

var formatNames = slices.Concat([]string{"auto", "jsonl", "csv", "npz"}, columnfile.Names)

func (f formatName) String() string { return formatNames[f] }

// isText reports whether a format may be printed to a terminal.
func (f formatName) isText() bool { return f == toLines || f == toCSV }

// formatOf returns the format of a name by its extension; byName if no format has it.
func formatOf(name string) formatName {
	ext := strings.TrimPrefix(cli.LowerExt(cli.WithoutShard(name)), ".")
	if ext == "ndjson" || ext == "json" {
		return toLines
	}
	return formatName(max(slices.Index(formatNames[1:], ext)+1, 0))
}

// outputFormat returns the format of the output. It is an error if this build does not have it.
func (x *export) outputFormat() (formatName, error) {
	named := byName
	if cli.IsFile(x.output) {
		named = formatOf(x.output)
	}
	to := x.to
	switch {
	case to == byName && named == byName && !cli.IsFile(x.output):
		return 0, cli.Usagef("-o -: want --to FORMAT: %s", cli.OneOf(formatNames[1:]))
	case to == byName && named == byName:
		return 0, cli.Usagef("-o %s: want a name ending in .%s, or --to", x.output, strings.Join(formatNames[1:], ", ."))
	case to == byName:
		to = named
	case named != byName && named != to:
		return 0, cli.Usagef("-o %s: would be written as %s, which --to names", x.output, to)
	}
	if len(x.utf8) > 0 && to < toColumns {
		return 0, cli.Usagef("--utf8 is for %s, not for %s", cli.OneOf(columnfile.Names), to)
	}
	if to >= toColumns {
		if _, err := cli.ColumnFormat("-o ", x.output, to.String()); err != nil {
			return 0, err
		}
	}
	return to, nil
}

// newFormat returns the format of the export. selected are the features of --select and --drop without a spec.
func (x *export) newFormat(to formatName, selected []string) (format, error) {
	switch to {
	case toLines:
		return &lines{parser: x.parser, selected: selected}, nil
	case toCSV:
		return newTable(x.parser)
	case toNPZ:
		return x.newArchive(), nil
	}
	return x.newColumns(to, x.src)
}
