package scan

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/feature/tfds"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
)

// A version is the directory of a data set of TensorFlow Datasets that is read for a directory above it: DIR/NAME/1.0.0 or
// DIR/NAME/CONFIG/1.0.0.
type version struct {
	dir    string   // has a dataset_info.json; "": no data set was found or could be chosen
	choice string   // why dir was chosen, such as "newest version"; "": it is the only one
	others []string // the directories that were not chosen; if dir is "", all that were found
}

// VersionDir returns the directory of the data set of TensorFlow Datasets that is read for a name: toy/1.0.0 for toy. As in
// TensorFlow Datasets, it is the newest version, of the default config if there are several. Other names are returned as they
// are.
func VersionDir(name string) string {
	if v := findVersion(name, configLevels); v.dir != "" {
		return v.dir
	}
	return name
}

// configLevels is the number of directories above those of versions: of data sets, and of configs.
const configLevels = 2

// maxConfigs is the maximum number of directories that are searched for versions.
const maxConfigs = 256

// findVersion returns the version that is read for a directory. If it has no versions, it may have configs or data sets, levels
// directories deep.
func findVersion(dir string, levels int) (v version) {
	if info, err := storage.Stat(dir); err != nil || !info.IsDir() {
		return v
	} else if hasInfo(dir) {
		return version{dir: dir}
	}
	entries, err := storage.ReadDir(context.Background(), dir)
	if err != nil {
		return v
	}
	versions := slices.DeleteFunc(slices.Clone(entries), func(entry fs.DirEntry) bool {
		_, ok := parseVersion(entry.Name())
		return !ok || !hasInfo(storage.Join(dir, entry.Name()))
	})
	slices.SortFunc(versions, func(a, b fs.DirEntry) int {
		x, _ := parseVersion(a.Name())
		y, _ := parseVersion(b.Name())
		return slices.Compare(y[:], x[:])
	})
	for i, entry := range versions {
		if sub := storage.Join(dir, entry.Name()); i == 0 {
			v.dir = sub
		} else {
			v.choice, v.others = "newest version", append(v.others, sub)
		}
	}
	if v.dir != "" || levels == 0 {
		return v
	}
	return findConfig(dir, entries, levels)
}

// findConfig returns the version that is read for a directory of configs, or of data sets: of the only one, or of the default
// config. A directory with other files has neither.
func findConfig(dir string, entries []fs.DirEntry, levels int) (v version) {
	entries = slices.DeleteFunc(entries, func(entry fs.DirEntry) bool {
		return strings.HasPrefix(entry.Name(), ".") || !entry.IsDir() && filelist.IsCompanion(entry.Name())
	})
	if len(entries) > maxConfigs || slices.ContainsFunc(entries, func(entry fs.DirEntry) bool { return !entry.IsDir() }) {
		return v
	}
	first := defaultConfig(dir)
	var found []version
	for _, entry := range entries {
		sub := storage.Join(dir, entry.Name())
		one := findVersion(sub, levels-1)
		switch {
		case one.dir == "" && one.others == nil:
			continue
		case entry.Name() == first && one.dir != "":
			v.dir, v.choice = one.dir, "default config"
			v.others = append(v.others, one.others...)
		default:
			v.others = append(v.others, sub)
		}
		found = append(found, one)
	}
	if len(found) == 1 {
		return found[0]
	}
	return v
}

// defaultConfig returns the name of the default config of a data set; "" if none is recorded.
func defaultConfig(dir string) string {
	var file struct {
		Name string `json:"default_config_name"`
	}
	if b, err := storage.ReadFile(storage.Join(storage.Join(dir, ".config"), "metadata.json")); err != nil || json.Unmarshal(b, &file) != nil {
		return ""
	}
	return file.Name
}

// noteVersion names the version that is read for an argument: for a slice only if there are others.
func noteVersion(e *cli.Env, arg string, slice bool) {
	v := findVersion(arg, configLevels)
	switch {
	case v.dir == "" || v.dir == arg:
	case v.others != nil:
		e.Console.Print(fmt.Sprintf("%s: reading the %s, %s; others: %s", arg, v.choice, v.dir, strings.Join(v.others, ", ")))
	case !slice:
		e.Console.Print(fmt.Sprintf("%s: reading the newest version, %s", arg, v.dir))
	}
}

// chooseDataset returns the error about a directory with several data sets or configs; nil for any other.
func chooseDataset(dir string) error {
	if v := findVersion(dir, configLevels); v.dir == "" && v.others != nil {
		return fmt.Errorf("several data sets; name one: %s", strings.Join(v.others, ", "))
	}
	return nil
}

// hasInfo reports whether a directory has a dataset_info.json.
func hasInfo(dir string) bool { _, ok := Beside(dir, tfds.InfoFile); return ok }

// parseVersion parses a version, such as 1.0.0.
func parseVersion(text string) (v [3]int, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) != len(v) {
		return v, false
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return v, false
		}
		v[i] = int(n)
	}
	return v, true
}
