package events

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/git-trace/git-trace/refs"
)

// ReadData reads the data of an event into a structure of its type, as encoding/json does. A log has patches, windows
// and anchored commits most of all, and a reader asks for hundreds at once. They are read member by member, in less
// than half of the time. What is not canonical, or has a member that this version does not know, is left to
// encoding/json.
func ReadData(raw []byte, into any) error { return new(dataReader).read(raw, into) }

// dataReader reads the data of many events.
type dataReader struct {
	scan  scanner
	words words
}

func (r *dataReader) read(raw []byte, into any) error {
	r.scan = scanner{buf: raw, words: &r.words}
	switch d := into.(type) {
	case *PatchData:
		return readKnown(&r.scan, d, readPatch)
	case *CommitData:
		return readKnown(&r.scan, d, readCommit)
	case *WindowData:
		return readKnown(&r.scan, d, readWindow)
	}
	return json.Unmarshal(raw, into)
}

func readKnown[T any](s *scanner, into *T, member memberReader[T]) error {
	var none T
	before := *into
	if *into = none; readObject(s, into, member) != nil || s.pos != len(s.buf) {
		*into = before
		return json.Unmarshal(s.buf, into)
	}
	return nil
}

// memberReader reads the value of a member whose name was just read.
type memberReader[T any] func(s *scanner, into *T, name []byte) error

// errStrange is of a member that is not known here.
var errStrange = errors.New("member that this version does not know")

func readObject[T any](s *scanner, into *T, member memberReader[T]) error {
	return s.object(MaxDepth, func(name []byte) error { return member(s, into, name) })
}

func readArray[T any](s *scanner, into *[]T, item func(*scanner, *T) error) error {
	if err := s.expect('['); err != nil {
		return err
	}
	list := []T{}
	for s.peek() != ']' {
		if len(list) > 0 {
			if err := s.expect(','); err != nil {
				return err
			}
		}
		list = slices.Grow(list, 1)[:len(list)+1]
		if err := item(s, &list[len(list)-1]); err != nil {
			return err
		}
	}
	s.pos++
	*into = list
	return nil
}

func textOf[T ~string](s *scanner, into *T) error {
	quoted, err := s.str()
	if err != nil {
		return err
	}
	*into = T(s.text(quoted))
	return nil
}

func numberOf[T int | int64](s *scanner, into *T) error {
	n, err := s.integer()
	if err == nil && int64(T(n)) != n {
		err = s.fault("integer that is too large for this machine")
	}
	*into = T(n)
	return err
}

func objectOf(s *scanner, into *refs.OID) error {
	quoted, err := s.str()
	if err != nil {
		return err
	}
	if s.plain {
		return into.UnmarshalText(quoted[1 : len(quoted)-1])
	}
	return into.UnmarshalText([]byte(unquote(quoted)))
}

func readKeptObject(s *scanner, k *KeptRun) error            { return readObject(s, k, readKept) }
func readCandidateObject(s *scanner, c *CandidateData) error { return readObject(s, c, readCandidate) }
func readFileObject(s *scanner, f *AnchorFile) error         { return readObject(s, f, readFile) }
func readRunObject(s *scanner, r *AnchorRun) error           { return readObject(s, r, readRun) }
func readOwnerObject(s *scanner, o *AnchorOwner) error       { return readObject(s, o, readOwner) }

func readPatch(s *scanner, d *PatchData, name []byte) error {
	switch string(name) {
	case "after":
		return objectOf(s, &d.After)
	case "before":
		return objectOf(s, &d.Before)
	case "candidates":
		return readArray(s, &d.Candidates, readCandidateObject)
	case "evidence":
		return textOf(s, &d.Evidence)
	case "interval":
		return numberOf(s, &d.Interval)
	case "kept":
		return readArray(s, &d.Kept, readKeptObject)
	case "lines":
		return textOf(s, &d.Lines)
	case "mode":
		return textOf(s, &d.Mode)
	case "model":
		return textOf(s, &d.Model)
	case "new_count":
		return numberOf(s, &d.NewCount)
	case "new_start":
		return numberOf(s, &d.NewStart)
	case "old_count":
		return numberOf(s, &d.OldCount)
	case "old_path":
		return textOf(s, &d.OldPath)
	case "old_start":
		return numberOf(s, &d.OldStart)
	case "owner":
		return textOf(s, &d.Owner)
	case "patch":
		return textOf(s, &d.Patch)
	case "path":
		return textOf(s, &d.Path)
	case "previous":
		return readArray(s, &d.Previous, textOf)
	case "prompt":
		return numberOf(s, &d.Prompt)
	case "revises":
		return textOf(s, &d.Revises)
	case "tool":
		return textOf(s, &d.Tool)
	}
	return errStrange
}

func readWindow(s *scanner, d *WindowData, name []byte) error {
	switch string(name) {
	case "class":
		return textOf(s, &d.Class)
	case "head":
		return objectOf(s, &d.Head)
	case "interval":
		return numberOf(s, &d.Interval)
	case "model":
		return textOf(s, &d.Model)
	case "patches":
		return numberOf(s, &d.Patches)
	case "paths":
		return readArray(s, &d.Paths, textOf)
	case "prompt":
		return numberOf(s, &d.Prompt)
	case "status":
		return textOf(s, &d.Status)
	case "tool":
		return textOf(s, &d.Tool)
	case "tree":
		return objectOf(s, &d.Tree)
	}
	return errStrange // the end of a call by its agent's record among them, which is rare
}

func readKept(s *scanner, k *KeptRun, name []byte) error {
	switch string(name) {
	case "count":
		return numberOf(s, &k.Count)
	case "form":
		return textOf(s, &k.Form)
	case "kind":
		return textOf(s, &k.Kind)
	case "patch":
		return textOf(s, &k.Patch)
	case "start":
		return numberOf(s, &k.Start)
	case "why":
		return textOf(s, &k.Why)
	}
	return errStrange
}

func readCandidate(s *scanner, c *CandidateData, name []byte) error {
	switch string(name) {
	case "agent":
		return textOf(s, &c.Agent)
	case "session":
		return textOf(s, &c.Session)
	case "subagent":
		return textOf(s, &c.Subagent)
	case "tool_call":
		return textOf(s, &c.ToolCall)
	case "trace":
		return textOf(s, &c.Trace)
	}
	return errStrange
}

func readCommit(s *scanner, d *CommitData, name []byte) error {
	switch string(name) {
	case "added":
		return numberOf(s, &d.Added)
	case "ai":
		return numberOf(s, &d.AI)
	case "commit":
		return objectOf(s, &d.Commit)
	case "files":
		return readArray(s, &d.Files, readFileObject)
	case "human":
		return numberOf(s, &d.Human)
	case "owners":
		return readArray(s, &d.Owners, readOwnerObject)
	case "parents":
		return readArray(s, &d.Parents, objectOf)
	case "part":
		return numberOf(s, &d.Part)
	case "parts":
		return numberOf(s, &d.Parts)
	case "revision":
		return numberOf(s, &d.Revision)
	case "unknown":
		return numberOf(s, &d.Unknown)
	}
	return errStrange
}

func readFile(s *scanner, f *AnchorFile, name []byte) error {
	switch string(name) {
	case "blob":
		return objectOf(s, &f.Blob)
	case "change":
		return textOf(s, &f.Change)
	case "path":
		return textOf(s, &f.Path)
	case "runs":
		return readArray(s, &f.Runs, readRunObject)
	}
	return errStrange
}

func readRun(s *scanner, r *AnchorRun, name []byte) error {
	switch string(name) {
	case "count":
		return numberOf(s, &r.Count)
	case "owner":
		return numberOf(s, &r.Owner)
	case "start":
		return numberOf(s, &r.Start)
	case "tier":
		return textOf(s, &r.Tier)
	}
	return errStrange
}

func readOwner(s *scanner, o *AnchorOwner, name []byte) error {
	switch string(name) {
	case "agent":
		return textOf(s, &o.Agent)
	case "candidates":
		return readArray(s, &o.Candidates, readCandidateObject)
	case "evidence":
		return textOf(s, &o.Evidence)
	case "kind":
		return textOf(s, &o.Kind)
	case "limits":
		return readArray(s, &o.Limits, textOf)
	case "model":
		return textOf(s, &o.Model)
	case "patch":
		return textOf(s, &o.Patch)
	case "previous":
		return textOf(s, &o.Previous)
	case "prompt":
		return numberOf(s, &o.Prompt)
	case "session":
		return textOf(s, &o.Session)
	case "step":
		return numberOf(s, &o.Step)
	case "subagent":
		return textOf(s, &o.Subagent)
	case "tool":
		return textOf(s, &o.Tool)
	case "tool_call":
		return textOf(s, &o.ToolCall)
	case "trace":
		return textOf(s, &o.Trace)
	}
	return errStrange
}
