// Package namelist selects names by a list of names and patterns, as in the flags --select and --drop.
package namelist

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/nearest"
)

// List selects names. Each item of its text form is one of
//
//	title       a name as it is printed, "b64:…" included
//	image/*     a pattern: * matches any text, ? any one character
//	-image/*    a name or pattern after a -: exclude these names
//
// An excluded name is never selected, even if another item selects it. A list that only excludes
// names selects all others; an empty list selects none. A name that contains *, ? or a leading - is
// written as "b64:" and its base64.
type List struct {
	Texts []string // the arguments of Parse
	Items []Item   // by index in Texts

	selected map[string]bool // names of items that are not patterns
	dropped  map[string]bool // excluded names of items that are not patterns
	patterns []*Item         // the items that are patterns
	any      bool            // all items exclude names, so the list selects all others
}

// An Item is a name or a pattern of a List.
type Item struct {
	Text    string // the name as in records, or the pattern
	Pattern bool
	Drop    bool // the item excludes names
}

// Parse reads the items of a list.
func Parse(texts []string) (*List, error) {
	l := &List{selected: map[string]bool{}, dropped: map[string]bool{}, any: len(texts) > 0, Texts: texts, Items: make([]Item, len(texts))}
	for i, text := range texts {
		item := &l.Items[i]
		text, item.Drop = strings.CutPrefix(text, "-")
		l.any = l.any && item.Drop
		name, err := jsonscan.ParseName(text)
		if err != nil {
			return nil, err
		}
		switch item.Text = name; {
		case name == text && hasWildcard(text):
			item.Pattern = true
			l.patterns = append(l.patterns, item)
		case item.Drop:
			l.dropped[name] = true
		default:
			l.selected[name] = true
		}
	}
	return l, nil
}

func hasWildcard(text string) bool { return strings.ContainsAny(text, "*?") }

// Selects reports whether an item selects the name; a list of exclusions only selects every name. It ignores exclusions:
// see Includes.
func (l *List) Selects(name []byte) bool {
	return l.any || l.selected[string(name)] || l.matches(name, false)
}

// LeavesOut reports whether an item excludes a name.
func (l *List) LeavesOut(name []byte) bool {
	return l.dropped[string(name)] || l.matches(name, true)
}

// Includes reports whether a name is selected and not excluded.
func (l *List) Includes(name []byte) bool { return l.Selects(name) && !l.LeavesOut(name) }

func (l *List) matches(name []byte, drop bool) bool {
	for _, p := range l.patterns {
		if p.Drop == drop && p.Matches(name) {
			return true
		}
	}
	return false
}

// HasPatterns reports whether an item is a pattern.
func (l *List) HasPatterns() bool { return len(l.patterns) > 0 }

// All returns all items; l may be nil.
func (l *List) All() (all []*Item) {
	if l != nil {
		for i := range l.Items {
			all = append(all, &l.Items[i])
		}
	}
	return all
}

// Unmatched returns the items that match none of the names.
func (l *List) Unmatched(names map[string]bool) (unmatched []*Item) {
	for _, item := range l.All() {
		if len(item.MatchesOf(names)) == 0 {
			unmatched = append(unmatched, item)
		}
	}
	return unmatched
}

// MatchesOf returns the names that the item matches, sorted.
func (i *Item) MatchesOf(names map[string]bool) (matching []string) {
	if !i.Pattern {
		if names[i.Text] {
			matching = []string{i.Text}
		}
		return matching
	}
	for name := range names {
		if i.Matches([]byte(name)) {
			matching = append(matching, name)
		}
	}
	slices.Sort(matching)
	return matching
}

// Matches reports whether the item is the name, or a pattern that matches the name.
func (i *Item) Matches(name []byte) bool {
	if !i.Pattern {
		return i.Text == string(name)
	}
	at, pos := 0, 0       // indexes in the pattern and in the name
	star, resume := -1, 0 // the last *, and the position in name from which the text after it was last compared
	for pos < len(name) {
		switch {
		case at < len(i.Text) && i.Text[at] == '*':
			star, resume = at, pos
			at++
		case at < len(i.Text) && i.Text[at] == '?':
			_, size := utf8.DecodeRune(name[pos:])
			at, pos = at+1, pos+size
		case at < len(i.Text) && i.Text[at] == name[pos]:
			at, pos = at+1, pos+1
		case star >= 0:
			resume++
			at, pos = star+1, resume
		default:
			return false
		}
	}
	return strings.Trim(i.Text[at:], "*") == ""
}

// Ambiguous reports whether a text could be a pattern or an exclusion, or a name that contains *, ? or a leading -.
func Ambiguous(texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return hasWildcard(text) || strings.HasPrefix(text, "-") })
}

// Resolve rewrites the ambiguous items that are names in the data, so that they are read as names: a name takes precedence
// over a pattern of the same spelling.
func Resolve(texts []string, names map[string]bool) []string {
	texts = slices.Clone(texts)
	for i, text := range texts {
		drop := ""
		if rest, ok := strings.CutPrefix(text, "-"); ok && !names[text] {
			drop, text = "-", rest
		}
		if names[text] && Ambiguous([]string{text}) {
			encoded := jsonscan.AppendEncodedName(nil, []byte(text))
			texts[i] = drop + string(encoded[1:len(encoded)-1])
		}
	}
	return texts
}

// Question suggests the name that an item was probably meant to be, as the end of a message; "" if no name is similar. For a
// pattern it compares the text before the first * or ? with the beginnings of the names.
func (i *Item) Question(names []string) string {
	if !i.Pattern {
		return nearest.Question(i.Text, names)
	}
	begin := []rune(i.Text[:strings.IndexAny(i.Text, "*?")])
	if len(begin) == 0 {
		return ""
	}
	nameOf := map[string]string{}
	for _, name := range slices.Sorted(slices.Values(names)) {
		runes := []rune(name)
		for n := len(begin) - 1; n <= len(begin)+1 && n <= len(runes); n++ {
			if head := string(runes[:n]); nameOf[head] == "" {
				nameOf[head] = name
			}
		}
	}
	if near := nearest.Name(string(begin), slices.Sorted(maps.Keys(nameOf))); near != "" {
		return fmt.Sprintf("; is it %q?", nameOf[near])
	}
	return ""
}
