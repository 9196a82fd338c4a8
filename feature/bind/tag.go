package bind

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/feature"
)

// tagKey is the key of the tags that this package reads.
const tagKey = "tfparse"

// tag is the parsed tag of a field:
//
//	name[,option]…
//
// where an option is a word, or word=text. A name or text that is empty or contains a
// comma is in single quotes, with the escapes of a Go string.
type tag struct {
	text       string              // as in the source
	name       string              // name of the feature
	named      bool                // the tag has a name
	group      feature.Group       // not InFeatures: the field is a part of the record
	def        *string             // text of the option default
	valueKey   *string             // text of the option value_key
	partitions []feature.Partition // outermost first
	missing    bool                // allow_missing
	round      bool                // encoding rounds float64 to float32; invalid for other types
	options    []string            // names of all options so far
}

// parseTag parses a tag and collects all errors in it.
func parseTag(text string) (t tag, errs []error) {
	t.text = text
	name, rest, quoted, err := readWord(text, ",")
	t.name, t.named = name, quoted || name != ""
	for err == nil && rest != "" {
		if rest[0] != ',' {
			err = fmt.Errorf("%q follows a closing quote: want a comma", rest)
			break
		}
		var option, value string
		var given bool
		option, rest, _, err = readWord(rest[1:], ",=")
		if err == nil && strings.HasPrefix(rest, "=") {
			given = true
			value, rest, quoted, err = readWord(rest[1:], ",")
			if err == nil && value == "" && !quoted {
				err = fmt.Errorf("option %s: no text after =; write '' for empty text", option)
			}
		}
		if err == nil {
			if e := t.parseOption(option, value, given); e != nil {
				errs = append(errs, e)
			}
		}
	}
	if err != nil {
		errs = append(errs, err)
	}
	return t, errs
}

// takesText maps each option to whether it has a text.
var takesText = func() map[string]bool {
	options := map[string]bool{
		"default":            true,
		"value_key":          true,
		"uniform_row_length": true,
		"allow_missing":      false,
		"round":              false,
		"context":            false,
		"sequence":           false,
		"examples":           false,
	}
	for _, name := range feature.PartitionNames() {
		options[name] = true
	}
	return options
}()

// parseOption adds one option to the tag.
func (t *tag) parseOption(option, text string, given bool) (err error) {
	takes, known := takesText[option]
	p, err := partition(option, text)
	switch {
	case !known:
		return fmt.Errorf("unknown option %q: want one of %s", option, strings.Join(slices.Sorted(maps.Keys(takesText)), ", "))
	case takes && !given:
		return fmt.Errorf("option %s needs a text: %s=…", option, option)
	case !takes && given:
		return fmt.Errorf("option %s has no text, got %q", option, text)
	case p == nil && slices.Contains(t.options, option):
		return fmt.Errorf("duplicate option %s", option)
	case err != nil:
		return err
	}
	t.options = append(t.options, option)
	switch option {
	case "default":
		t.def = &text
	case "value_key":
		t.valueKey = &text
	case "allow_missing":
		t.missing = true
	case "round":
		t.round = true
	case "context":
		return t.setPart(feature.InContext)
	case "sequence":
		return t.setPart(feature.InSequence)
	case "examples":
		return t.setPart(feature.InExamples)
	default:
		t.partitions = append(t.partitions, p)
	}
	return nil
}

// setPart makes the field a part of the record.
func (t *tag) setPart(g feature.Group) error {
	if t.group != feature.InFeatures {
		return fmt.Errorf("conflicting options %v and %v", t.group, g)
	}
	t.group = g
	return nil
}

// partition returns the partition that an option describes; nil for another option.
func partition(option, text string) (feature.Partition, error) {
	if option == "uniform_row_length" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			err = fmt.Errorf("option %s: invalid length %q", option, text)
		}
		return feature.UniformRowLength(n), err
	}
	return feature.PartitionOf(option, text), nil
}

// partitionKey returns the key of the feature that contains a partition. ok is false for a uniform
// partition and for nil.
func partitionKey(p feature.Partition) (key string, ok bool) {
	_, uniform := p.(feature.UniformRowLength)
	_, key = feature.PartitionKey(p)
	return key, p != nil && !uniform
}

// readWord reads a text in single quotes, or else up to the first byte in stop.
func readWord(s, stop string) (w, rest string, quoted bool, err error) {
	if !strings.HasPrefix(s, "'") {
		i := strings.IndexAny(s, stop)
		if i < 0 {
			i = len(s)
		}
		return s[:i], s[i:], false, nil
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\'':
			w, err := unquote(s[1:i])
			return w, s[i+1:], true, err
		}
	}
	return "", "", true, errors.New("a quote is not closed")
}

// unquote resolves the escapes of a text in single quotes.
func unquote(s string) (string, error) {
	s = strings.NewReplacer(`\\`, `\\`, `\'`, `'`, `"`, `\"`).Replace(s)
	s, err := strconv.Unquote(`"` + s + `"`)
	if err != nil {
		return "", errors.New("invalid escape in a quoted text")
	}
	return s, nil
}
