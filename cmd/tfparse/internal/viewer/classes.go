package viewer

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/tfds"
	"github.com/tfparse/tfparse/internal/storage"
)

// datasetClasses returns the names of the classes of a data set of TensorFlow Datasets, by the features that have their
// numbers. The data set is that of the spec, if it is a features.json, or else that of the arguments.
func datasetClasses(spec string, columns feature.Spec, args []string) (map[string][]string, error) {
	classes := map[string][]string{}
	if filepath.Base(spec) != tfds.FeaturesFile {
		dirs := scan.Datasets(args)
		if spec != "" || len(dirs) != 1 {
			return classes, nil
		}
		spec = storage.Join(dirs[0], tfds.FeaturesFile)
	}
	b, err := scan.ReadNamed(spec)
	if errors.Is(err, fs.ErrNotExist) {
		return classes, nil
	}
	if err == nil && columns.Features == nil {
		columns, _, err = tfds.Spec(b, &tfds.Options{Ragged: true})
	}
	if err != nil {
		return nil, scan.BadFeatures(spec, err)
	}
	all, err := tfds.Columns(b)
	if err != nil {
		return nil, scan.BadFeatures(spec, err)
	}
	for name, column := range all {
		if column.Labels == "" {
			continue
		}
		file := storage.Join(storage.Dir(spec), column.Labels)
		b, err := scan.ReadNamed(file)
		if errors.Is(err, fs.ErrNotExist) { // a ClassLabel may have no names
			continue
		} else if err != nil {
			return nil, scan.Named(file, err)
		}
		key := name
		if f, ok := columns.Features[name].(feature.Ragged); ok {
			key = cmp.Or(f.ValueKey, name)
		}
		classes[key] = tfds.ParseLabels(b)
	}
	return classes, nil
}

// parseClasses returns the names of classes in a file of --classes: a line for each, or a label map of TensorFlow's
// object detection, whose items have IDs.
func parseClasses(file string, b []byte) ([]string, error) {
	if filepath.Ext(file) != ".pbtxt" {
		return tfds.ParseLabels(b), nil
	}
	const maxClass = 1 << 20
	var names []string
	for _, item := range labelItem.FindAll(b, -1) {
		id, name := labelID.FindSubmatch(item), labelName.FindSubmatch(item)
		if display := labelDisplay.FindSubmatch(item); display != nil {
			name = display
		}
		if id == nil || name == nil {
			return nil, errors.New("an item without id and name")
		}
		n, err := strconv.Atoi(string(id[1]))
		if err != nil || n > maxClass {
			return nil, errors.New("the id " + string(id[1]) + " is too large")
		}
		for len(names) <= n {
			names = append(names, "")
		}
		names[n] = string(name[1])
	}
	if len(names) == 0 {
		return nil, errors.New("want items of a label map")
	}
	return names, nil
}

var (
	labelItem    = regexp.MustCompile(`item\s*:?\s*\{[^}]*\}`)
	labelID      = regexp.MustCompile(`\bid\s*:\s*(\d+)`)
	labelName    = regexp.MustCompile(`\bname\s*:\s*["']([^"'\\]*)["']`)
	labelDisplay = regexp.MustCompile(`\bdisplay_name\s*:\s*["']([^"'\\]*)["']`)
)
