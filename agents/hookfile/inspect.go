package hookfile

import (
	"bytes"
	"slices"
)

// State describes git-trace's entries in a document.
type State struct {
	Present, Missing, Stale []string // events; an event with a good entry and a superfluous one is in two lists
	Commands                []string // git-trace's commands in the document, without repetitions
}

// Inspect compares a document with the entries. A nil document means a missing file.
func Inspect(doc []byte, entries []Entry, ours Ours) (State, error) {
	root, err := parse(bytes.TrimPrefix(doc, byteOrderMark))
	if err != nil {
		return State{}, err
	}
	if err := checkShape(root, entries); err != nil {
		return State{}, err
	}
	found := find(root, ours)
	keep, rest := sorted(found, entries)
	var s State
	for _, h := range rest {
		s.Stale = appendNew(s.Stale, h.event)
	}
	for _, entry := range entries {
		if _, there := keep[entry.Event]; there {
			s.Present = append(s.Present, entry.Event)
		} else if !slices.Contains(s.Stale, entry.Event) {
			s.Missing = append(s.Missing, entry.Event)
		}
	}
	for _, h := range found {
		s.Commands = appendNew(s.Commands, h.command)
	}
	return s, nil
}

// Flag reports whether the document sets a key to true. It is false for an invalid document.
func Flag(doc []byte, key string) bool {
	root, err := parse(bytes.TrimPrefix(doc, byteOrderMark))
	if err != nil {
		return false
	}
	value := root.get(key)
	return value != nil && value.literal == true
}

func appendNew(list []string, item string) []string {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}
