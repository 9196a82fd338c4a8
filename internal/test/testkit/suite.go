package testkit

import (
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
)

// A Check runs one case and returns nil if the outcome is the one that the case
// requires. An error that is ErrUnknown means that the check does not know this
// kind of case; any other error says what was wrong.
type Check func(c *Case) error

// Compare turns a function that computes a result into a Check. If the case
// requires a value, the result must be that value, compared by RuleOf(c); if it
// requires an error, the function must return one. An error made by Fault or
// Unknown is never taken for the outcome.
func Compare(run func(c *Case) (Value, error)) Check {
	return func(c *Case) error {
		got, err := run(c)
		if setup(err) {
			return err
		}
		w := c.Want()
		switch {
		case w.Fail && err == nil:
			return fmt.Errorf("want an error, got %s", Format(got))
		case w.Fail:
			return nil
		case err != nil:
			return fmt.Errorf("unexpected error: %w", err)
		}
		want, err := ParseValue(w.Expect)
		if err != nil {
			return err
		}
		if d := RuleOf(c).Diff(want, got); d != "" {
			return fmt.Errorf("%s\nwant %s\ngot  %s", d, Format(want), Format(got))
		}
		return nil
	}
}

// setup reports whether err says that a case could not be run.
func setup(err error) bool {
	var f *faultError
	return errors.Is(err, ErrUnknown) || errors.As(err, &f)
}

// A Suite runs the cases of one family.
type Suite struct {
	// Family is the "vectors" of the headers.
	Family string

	// Key is the member of a case that says which check runs it, such as "op".
	// If it is empty, the check of the key "" runs every case.
	Key string

	// Members are the members that a case may have besides name, tags, expect,
	// error, ours and Key. A case with any other is unknown.
	Members []string

	// Files, if it is not nil, says which files of the family are run.
	Files func(*File) bool

	// Every, if it is n > 1, runs only one in n of our own cases, for
	// what is slow to be run again in another way. The others are not counted. Of the
	// folder that FolderVariable names, all are run.
	Every int

	// MoreKeys says that no case may have some of the keys that checks are for.
	MoreKeys bool

	// PerKey prints the counts of every key, too.
	PerKey bool

	// Exceptions are the cases that we hold to be wrong, by name
	// ("row 1"), with the reason. Such a case must fail: one that
	// passes, and one that is not there, are faults of their own.
	Exceptions map[string]string

	checks map[string]Check
}

// Handle says which check runs the cases with a key. A key is handled once.
func (s *Suite) Handle(key string, check Check) {
	if s.checks == nil {
		s.checks = map[string]Check{}
	}
	if _, ok := s.checks[key]; ok {
		panic("testkit: two checks for " + key)
	}
	s.checks[key] = check
}

// HandleAll is Handle for every entry of a table.
func (s *Suite) HandleAll(checks map[string]Check) {
	for key, check := range checks {
		s.Handle(key, check)
	}
}

// An outcome is what became of a case.
type outcome uint8

const (
	passed outcome = iota
	failed
	unknown
	open     // the case expects nothing of us
	excepted // it fails, as an exception says it does
)

// leftOpen are the tags of cases that expect nothing of us: TensorFlow does not
// offer the operation, or its validation was switched off, and ours cannot be.
var leftOpen = []string{"unsupported", "novalidate"}

// run runs one case and says why it did not pass.
func (s *Suite) run(c *Case) (outcome, error) {
	key, err := s.key(c)
	if err != nil {
		return unknown, err
	}
	for _, tag := range leftOpen {
		if c.Tagged(tag) {
			return open, nil
		}
	}
	if err := s.knows(c); err != nil {
		return unknown, err
	}
	check, ok := s.checks[key]
	if !ok {
		return unknown, Unknown("%s %q", s.Key, key)
	}
	err = protect(check, c)
	reason, except := s.Exceptions[c.Name]
	switch {
	case errors.Is(err, ErrUnknown):
		return unknown, err
	case except && err == nil:
		return failed, fmt.Errorf("passes, but is an exception (%s): strike it out", reason)
	case except:
		return excepted, err
	case err != nil:
		return failed, err
	}
	return passed, nil
}

// key returns the key of a case.
func (s *Suite) key(c *Case) (string, error) {
	if s.Key == "" {
		return "", nil
	}
	var key string
	if err := c.Decode(s.Key, &key); err != nil {
		return "", Unknown("%v", err)
	}
	return key, nil
}

// knows refuses a case with a member that is never read: what it says would
// be lost in silence.
func (s *Suite) knows(c *Case) error {
	common := []string{"name", "tags", "expect", "error", "ours"}
	for _, m := range slices.Sorted(maps.Keys(c.members)) {
		if !slices.Contains(common, m) && m != s.Key && !slices.Contains(s.Members, m) {
			return Unknown("the member %q", m)
		}
	}
	return nil
}

// protect turns a panic into an error: no input may cause one.
func protect(check Check, c *Case) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Fault(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	return check(c)
}
