package tfds

import (
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// The names of the files.
const (
	InfoFile     = "dataset_info.json"
	FeaturesFile = "features.json"
)

// Info is what dataset_info.json says of the files of a data set.
type Info struct {
	Name, Config, Version string
	FileFormat            string // "tfrecord"; or another one, which is not for package tfrecord
	Splits                []Split
}

// A Split is a part of the data set, such as train.
type Split struct {
	Name    string
	Files   []string // of its shards, relative to the directory, with slashes; none if their lengths are not known
	Records []int64  // in each shard; none if that is not known, as in directories that early versions wrote
	Total   int64    // records in all shards; -1 if that is not known
	// Bytes are the payloads of all records; but where the shards were written by
	// Apache Beam without shuffling, the sizes of the files.
	Bytes int64
}

const defaultTemplate = "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}"

// ParseInfo reads the content of dataset_info.json. It keeps nothing of b.
func ParseInfo(b []byte) (*Info, error) {
	var file struct {
		Name       string `json:"name"`
		ConfigName string `json:"configName"`
		Version    string `json:"version"`
		FileFormat string `json:"fileFormat"`
		Splits     []struct {
			Name         string   `json:"name"`
			ShardLengths []number `json:"shardLengths"`
			NumShards    number   `json:"numShards"` // of versions without shardLengths
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
		info.FileFormat = "tfrecord" // of versions that had no other
	}
	claimed := 0 // bytes of names that numShards makes
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
					return nil, fmt.Errorf("tfds: %s: split %q: numShards is %d, too many names", InfoFile, s.Name, s.NumShards)
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

// maxShards and maxClaimed bound the names that numbers of shards make, in a split and in all of them.
const (
	maxShards  = 1 << 16
	maxClaimed = 16 << 20 // bytes
)

// maxName bounds the name of a file, which a template may make longer than itself.
const maxName = 4096

// shardName fills in the template of the name of a shard.
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
			return "", fmt.Errorf("filepathTemplate makes names of more than %d bytes", maxName)
		}
	}
	clean := path.Clean(name.String())
	if path.IsAbs(clean) || clean == "." || clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains(clean, `\`) {
		return "", fmt.Errorf("filepathTemplate %q: %q is not in the directory", template, name.String())
	}
	return clean, nil
}

// A number is an int64 as protobuf's JSON has it: a string, or a number.
type number int64

func (n *number) UnmarshalJSON(b []byte) error {
	i, err := strconv.ParseInt(strings.Trim(string(b), `"`), 10, 64)
	if err != nil {
		return fmt.Errorf("want an integer, got %.40s", b)
	}
	*n = number(i)
	return nil
}
