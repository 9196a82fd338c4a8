package tfds

import (
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// The file names.
const (
	InfoFile     = "dataset_info.json"
	FeaturesFile = "features.json"
)

// Info describes the files of a data set, as in dataset_info.json.
type Info struct {
	Name, Config, Version string
	FileFormat            string // "tfrecord", or a format that package tfrecord cannot read
	Splits                []Split
}

// Split is a part of the data set, such as train.
type Split struct {
	Name    string
	Files   []string // names of the shards, relative to the directory, with slashes; nil if unknown
	Records []int64  // number of records per shard; nil if unknown, as in directories of early versions
	Total   int64    // number of records in all shards; -1 if unknown
	// Bytes is the total size of all records; but if Apache Beam wrote the shards without
	// shuffling, the total size of the files.
	Bytes int64
}

const defaultTemplate = "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"

// ParseInfo parses the content of dataset_info.json. It does not retain b.
func ParseInfo(b []byte) (*Info, error) {
	var file struct {
		Name       string `json:"name"`
		ConfigName string `json:"configName"`
		Version    string `json:"version"`
		FileFormat string `json:"fileFormat"`
		Splits     []struct {
			Name         string   `json:"name"`
			ShardLengths []number `json:"shardLengths"`
			NumShards    number   `json:"numShards"` // in versions without shardLengths
			Statistics   struct {
				NumExamples *number `json:"numExamples"`
			} `json:"statistics"`
			NumBytes         number `json:"numBytes"`
			FilepathTemplate string `json:"filepathTemplate"`
		} `json:"splits"`
	}
	if err := json.Unmarshal(b, &file); err != nil {
		return nil, fmt.Errorf("tfds: %s: %w", InfoFile, err)
	}
	info := &Info{Name: file.Name, Config: file.ConfigName, Version: file.Version, FileFormat: file.FileFormat}
	if info.FileFormat == "" {
		info.FileFormat = "tfrecord" // early versions had no other format
	}
	claimed := 0 // total size of the names that numShards claims
	for _, s := range file.Splits {
		split := Split{Name: s.Name, Bytes: int64(s.NumBytes), Total: -1}
		template := s.FilepathTemplate
		if template == "" {
			template = defaultTemplate
		}
		shards := len(s.ShardLengths)
		if shards == 0 {
			if s.NumShards < 0 || s.NumShards > maxShards {
				return nil, fmt.Errorf("tfds: %s: split %q: numShards is %d, at most %d", InfoFile, s.Name, s.NumShards, maxShards)
			}
			if shards = int(s.NumShards); s.Statistics.NumExamples != nil {
				split.Total = int64(*s.Statistics.NumExamples)
			}
		} else {
			split.Total = 0
		}
		for i := range shards {
			name, err := shardName(template, info, s.Name, i, shards)
			if err != nil {
				return nil, fmt.Errorf("tfds: %s: split %q: %w", InfoFile, s.Name, err)
			}
			if split.Files = append(split.Files, name); s.ShardLengths == nil {
				if claimed += len(name) + 64; claimed > maxClaimed {
					return nil, fmt.Errorf("tfds: %s: split %q: numShards is %d: too many names", InfoFile, s.Name, s.NumShards)
				}
			}
		}
		for i, n := range s.ShardLengths {
			if n < 0 {
				return nil, fmt.Errorf("tfds: %s: split %q: shard %d has %d records", InfoFile, s.Name, i, n)
			}
			split.Records = append(split.Records, int64(n))
			split.Total += int64(n)
		}
		info.Splits = append(info.Splits, split)
	}
	return info, nil
}

// maxShards limits the shards of a split, and maxClaimed the total size of their names, if only numShards is known.
const (
	maxShards  = 1 << 16
	maxClaimed = 16 << 20 // bytes
)

// maxName is the maximum size of a file name, which may be longer than its template.
const maxName = 4096

// shardName returns the file name of shard i of n.
func shardName(template string, info *Info, split string, i, n int) (string, error) {
	digits := max(5, len(strconv.Itoa(n)))
	index, count := fmt.Sprintf("%0*d", digits, i), fmt.Sprintf("%0*d", digits, n)
	values := map[string]string{
		"DATASET": info.Name, "SPLIT": split, "FILEFORMAT": info.FileFormat,
		"SHARD_INDEX": index, "NUM_SHARDS": count, "SHARD_X_OF_Y": index + "-of-" + count,
	}
	var name strings.Builder
	for rest := template; rest != ""; {
		text, variable, ok := strings.Cut(rest, "{")
		name.WriteString(text)
		if !ok {
			break
		}
		variable, rest, ok = strings.Cut(variable, "}")
		value, known := values[variable]
		if !ok || !known {
			return "", fmt.Errorf("filepathTemplate %q: unknown variable %q", template, variable)
		}
		name.WriteString(value)
		if name.Len() > maxName {
			return "", fmt.Errorf("filepathTemplate gives a name of more than %d bytes", maxName)
		}
	}
	clean := path.Clean(name.String())
	if path.IsAbs(clean) || clean == "." || clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains(clean, `\`) {
		return "", fmt.Errorf("filepathTemplate %q: %q is not in the directory", template, name.String())
	}
	return clean, nil
}

// number is an int64 in protobuf's JSON: a string or a number.
type number int64

func (n *number) UnmarshalJSON(b []byte) error {
	i, err := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	if err != nil {
		return fmt.Errorf("want an integer, got %.40s", b)
	}
	*n = number(i)
	return nil
}
