package scan

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/feature/tfds"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// withoutMetadata removes the metadata of data sets from the names of files that are left out. The directory of a data set has a
// dataset_info.json.
func withoutMetadata(names []string) []string {
	sets := map[string]bool{} // directories of data sets
	for _, name := range names {
		if filepath.Base(name) == tfds.InfoFile {
			sets[storage.Dir(name)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		base := filepath.Base(name)
		return sets[storage.Dir(name)] && (slices.Contains(metadataFiles, base) || strings.HasSuffix(base, ".labels.txt"))
	})
}

// metadataFiles are the files of TensorFlow Datasets in the directory of a data set, beside lists of classes.
var metadataFiles = []string{tfds.InfoFile, tfds.FeaturesFile, "metadata.json"}

// ReadInfo reads the dataset_info.json of a directory. Errors do not name the file.
func ReadInfo(dir string) (*tfds.Info, error) {
	b, err := ReadNamed(storage.Join(dir, tfds.InfoFile))
	if err != nil {
		return nil, err
	}
	info, err := tfds.ParseInfo(b)
	if err != nil {
		return nil, WithoutFile(err)
	}
	if info.FileFormat != "tfrecord" {
		return nil, fmt.Errorf("want file_format tfrecord, got %s", info.FileFormat)
	}
	return info, nil
}

// WithoutFile drops the beginning "tfds: features.json: " or "tfds: dataset_info.json: " of an error. Messages begin with the
// path of the file instead.
func WithoutFile(err error) error {
	text := strings.TrimPrefix(err.Error(), "tfds: ")
	for _, file := range []string{tfds.InfoFile, tfds.FeaturesFile} {
		text = strings.TrimPrefix(text, file+": ")
	}
	return errors.New(text)
}

// BadFeatures returns the usage error about a features.json that package tfds refuses.
func BadFeatures(file string, err error) error { return cli.BadSpec(file, WithoutFile(err)) }

// splitSlice splits an argument DIR#SLICE, such as toy#train[:10%], and returns the newest version of DIR. Any other argument
// has the slice "", except that a directory with shards in subdirectories has the slice "all", because the files of a
// directory do not include them.
func splitSlice(arg string) (dir, slice string) {
	if i := strings.LastIndexByte(arg, '#'); i > 0 && !storage.Exists(arg) {
		dir := VersionDir(arg[:i])
		if info, err := storage.Stat(dir); err == nil && info.IsDir() {
			if _, r := SplitRange(arg); r == nil {
				return dir, arg[i+1:]
			}
		}
		return arg, ""
	}
	if storage.Remote(arg) { // do not send a request for every argument
		return arg, ""
	}
	dir = VersionDir(arg)
	if hasInfo(dir) {
		info, err := ReadInfo(dir)
		nested := func(file string) bool { return strings.Contains(file, "/") }
		if err == nil && slices.ContainsFunc(info.Splits, func(s tfds.Split) bool { return slices.ContainsFunc(s.Files, nested) }) {
			return dir, "all"
		}
	}
	return dir, ""
}

// HasSlice reports whether an argument has the form DIR#SLICE.
func HasSlice(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		_, slice := splitSlice(arg)
		return slice != "" && strings.Contains(arg, "#")
	})
}

// Datasets returns the directories of TensorFlow Datasets among the arguments, with a slice or without, each once.
func Datasets(args []string) (dirs []string) {
	for _, arg := range args {
		if dir, _ := splitSlice(arg); hasInfo(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// expandSlice returns the shards of a slice, with the range of records of each.
func expandSlice(dir, slice string) (in []Input, err error) {
	if !hasInfo(dir) {
		return nil, cli.Usagef("%s: %w", dir, cmp.Or(chooseDataset(dir), errors.New("the directory has no "+tfds.InfoFile)))
	}
	file := storage.Join(dir, tfds.InfoFile)
	info, err := ReadInfo(dir)
	if err != nil {
		return nil, Named(file, err)
	}
	if strings.Contains(slice, "[") {
		if err := countShards(dir, info); err != nil {
			return nil, err
		}
	}
	ranges, err := info.Select(slice)
	if err != nil {
		return nil, cli.Usagef("%s: %v", file, WithoutFile(err))
	}
	for _, r := range ranges {
		i := Input{Name: storage.Join(dir, filepath.FromSlash(r.Split.Files[r.Shard])), Slice: true}
		if !r.Whole() {
			i.Records = &Range{First: r.First, End: r.End}
		}
		in = append(in, i)
	}
	if len(in) == 0 {
		return nil, cli.Usagef("%s: slice %q selects no records", file, slice)
	}
	return in, nil
}

// countShards counts the records of shards. Old versions of TensorFlow Datasets did not write their numbers.
func countShards(dir string, info *tfds.Info) error {
	for i := range info.Splits {
		s := &info.Splits[i]
		if s.Records != nil {
			continue
		}
		s.Total = 0
		for _, file := range s.Files {
			n, err := countRecords(storage.Join(dir, filepath.FromSlash(file)))
			if err != nil {
				return err
			}
			s.Records = append(s.Records, n)
			s.Total += n
		}
	}
	return nil
}

// countRecords counts the records of a file.
func countRecords(name string) (n int64, err error) {
	r, err := tfrecord.Open(name, nil)
	if err != nil {
		return 0, Named(name, err)
	}
	defer r.Close()
	for {
		switch err := r.Skip(); {
		case err == io.EOF:
			return n, nil
		case err != nil:
			return 0, err
		}
		n++
	}
}

// WholeFiles returns a usage error if an input is a part of a file.
func WholeFiles(in []Input) error {
	for _, i := range in {
		if i.Records != nil {
			return cli.Usagef("%s: the slice has only a part of the file; want whole shards", i.Name)
		}
	}
	return nil
}

// autoSpec is the value of --spec for the features.json of the data set.
const autoSpec = "auto"

// AutoSpec returns the file of --spec. For auto it is the features.json of the directory of TensorFlow Datasets that the
// arguments name, and a warning names each feature without a column.
func AutoSpec(e *cli.Env, spec string, args []string) (string, error) {
	if spec != autoSpec {
		return spec, nil
	}
	var file string
	var first []byte
	for _, arg := range args {
		dir, _ := splitSlice(arg)
		if info, err := storage.Stat(dir); err != nil || !info.IsDir() {
			name, _ := SplitRange(dir)
			dir = storage.Dir(name)
		}
		name, ok := Beside(dir, tfds.FeaturesFile)
		if !ok {
			if err := chooseDataset(dir); err != nil {
				return "", cli.Usagef("%s: %w", dir, err)
			}
			return "", cli.Usagef("--spec auto: %s has no %s", dir, tfds.FeaturesFile)
		}
		b, err := ReadNamed(name)
		switch {
		case err != nil:
			return "", Named(name, err)
		case file == "":
			file, first = name, b
		case !bytes.Equal(b, first):
			return "", cli.Usagef("--spec auto: %s and %s have different features", file, name)
		}
	}
	if file == "" {
		return "", cli.Usagef("--spec auto needs a directory of TensorFlow Datasets")
	}
	_, notes, err := tfds.Spec(first, nil)
	if err != nil {
		return "", BadFeatures(file, err)
	}
	for _, n := range notes {
		if n.Omitted {
			e.Console.Print(fmt.Sprintf("%s: feature %q: left out: %s", file, n.Feature, n.Text))
			e.Raise(cli.ExitSkipped)
		}
	}
	return file, nil
}

// A LabelForm is the value of --labels.
type LabelForm uint8

// Values of --labels.
const (
	LabelNumbers LabelForm = iota
	LabelNames
)

// LabelsVar defines --labels.
func LabelsVar(fs *pflag.FlagSet, p *LabelForm) {
	cli.ChoiceVar(fs, p, "labels", []string{"numbers", "names"}, "labels as `FORM`: numbers or names")
}

// IsTFDS reports whether the file of --spec is the features.json of a directory of TensorFlow Datasets.
func IsTFDS(spec string) bool { return filepath.Base(spec) == tfds.FeaturesFile }

// readColumns returns how TensorFlow Datasets converts columns, by name; none if a spec is not a features.json.
func readColumns(spec string) (map[string]tfds.Column, error) {
	if !IsTFDS(spec) {
		return nil, nil
	}
	b, err := ReadNamed(spec)
	if err != nil {
		return nil, cli.BadSpec(spec, err)
	}
	columns, err := tfds.Columns(b)
	if err != nil {
		return nil, BadFeatures(spec, err)
	}
	return columns, nil
}

// PrintedNames returns the names under which columns print, for a spec that is a features.json: x for the columns x/value and
// x/shape of a tensor with several unknown dimensions. Other columns are not in the map.
func PrintedNames(spec string) (map[string]string, error) {
	columns, err := readColumns(spec)
	names := map[string]string{}
	for name, c := range columns {
		if c.Hidden {
			names[name] = strings.TrimSuffix(name, "/shape")
		} else if c.Name != "" {
			names[name] = c.Name
		}
	}
	return names, err
}

// Renderings returns the form in which the columns of a parser print, for a spec that is a features.json; nil for another spec.
// They have the names of classes if the form is LabelNames, with a warning if names are missing, or if names is true.
func Renderings(e *cli.Env, spec string, parser *feature.Parser, form LabelForm, names bool) (map[string]raggedjson.Rendering, error) {
	if form == LabelNames && !IsTFDS(spec) {
		return nil, cli.Usagef("--labels names needs --spec auto or a %s", tfds.FeaturesFile)
	}
	columns, err := readColumns(spec)
	if columns == nil {
		return nil, err
	}
	all := map[string]raggedjson.Rendering{}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		column := columns[name]
		if _, ok := parser.Spec().Features[name]; !ok { // not selected
			continue
		}
		r := raggedjson.Rendering{DType: column.DType, Shape: column.Shape, Name: column.Name, Hidden: column.Hidden}
		if column.Labels != "" && (names || form == LabelNames) {
			file := storage.Join(storage.Dir(spec), column.Labels)
			b, err := ReadNamed(file)
			missing := errors.Is(err, fs.ErrNotExist) // a ClassLabel may have no names
			if err != nil && !missing {
				return nil, Named(file, err)
			}
			switch r.Labels = tfds.ParseLabels(b); {
			case form != LabelNames:
			case missing:
				e.Console.Print(fmt.Sprintf("%s: no such file; the classes of feature %q stay numbers", file, name))
			case len(r.Labels) < column.Classes:
				e.Console.Print(fmt.Sprintf("%s: %s for %d classes; the others stay numbers", file, cli.Plural(int64(len(r.Labels)), "name"), column.Classes))
			}
		}
		all[name] = r
	}
	return all, nil
}
