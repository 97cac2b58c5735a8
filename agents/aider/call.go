package aider

import (
	"strings"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// call is an edit or a command of the last answer.
type call struct {
	id       string
	edit     edit
	applied  bool
	untold   bool // the text of the edit is unknown
	rejected bool
	settled  bool // the result of the call was passed on, or there is none
}

// `asked` returns the call as the answer requests it.
func (c *call) asked(dir string) assemble.Call {
	var in rawjson.Members
	out := assemble.Call{ID: c.id, Name: "edit", Writes: []string{sessionfile.Absolute(c.edit.path, dir)}}
	in.Text("path", c.edit.path)
	if c.edit.whole {
		out.Name = "write"
		in.Text("content", c.edit.replace)
	} else {
		in.Text("old_text", c.edit.search).Text("new_text", c.edit.replace)
	}
	out.Input = in.End()
	return out
}

// `written` returns the changes that the call made to its file.
func (c *call) written(dir string) []assemble.Edit {
	path := sessionfile.Absolute(c.edit.path, dir)
	if c.edit.whole {
		return []assemble.Edit{sessionfile.WholeFile(path, c.edit.replace)}
	}
	return []assemble.Edit{{Path: path, Text: c.edit.replace}}
}

// `apply` records that an edit of a file was made. If the answer has no known edit of that file, it adds a call without
// a text.
func (s *session) apply(at records.Locator, path string) error {
	known := false
	for _, c := range s.calls {
		if c.edit.path == path || strings.HasSuffix(path, "/"+c.edit.path) {
			c.edit.path = path
			c.applied, known = true, true
		}
	}
	if known || s.key == "" || !s.c.Waits(s.key) {
		return nil
	}
	one := &call{id: s.callID(), edit: edit{path: path}, applied: true, untold: true}
	s.calls = append(s.calls, one)
	var in rawjson.Members
	return s.c.Answer(assemble.Answer{At: at, Key: s.key, Calls: []assemble.Call{{ID: one.id, Name: "edit",
		Input: in.Text("path", path).End(), Writes: []string{sessionfile.Absolute(path, s.dir)}}}})
}

// `reject` records that edits of a file were declined.
func (s *session) reject(path string) {
	for _, c := range s.calls {
		c.rejected = c.rejected || c.edit.path == path
	}
}

// `commit` records a commit: it contains the edits that were made since the last commit, if there are any. Otherwise it
// contains a person's earlier changes, or later changes of a linter.
func (s *session) commit(sha string) error {
	for _, c := range s.calls {
		if c.applied && !c.settled {
			return s.settle(&assemble.Commit{SHA: sha, Kind: "committed", Only: true}, false)
		}
	}
	s.c.Append("other_commits", "after_step", map[string]any{"sha": sha})
	return nil
}

// settle passes on the results of the edits that were made; the first result has the commit. At the end of an answer,
// the other edits count as failed or as unknown.
func (s *session) settle(commit *assemble.Commit, end bool) error {
	for _, c := range s.calls {
		var result assemble.Result
		switch {
		case c.settled:
			continue
		case c.applied:
			if result.Commit = commit; !c.untold {
				result.Edits = c.written(s.dir)
			}
			commit = nil
		case end && c.rejected:
			result.Error = records.ErrorRejected
		case end && s.failed:
			result.Error = records.ErrorTool
		default:
			continue
		}
		c.settled = true
		if err := s.c.Result(s.textAt, c.id, result); err != nil {
			return err
		}
	}
	if end {
		s.calls, s.failed = nil, false
	}
	return nil
}

// `ran` adds a command that the model proposed: the user ran or declined it.
func (s *session) ran(at records.Locator, command string, rejected bool) error {
	if s.key == "" || !s.c.Waits(s.key) {
		s.c.Drop("command_without_answer")
		return nil
	}
	one := &call{id: s.callID(), settled: true}
	s.calls = append(s.calls, one)
	var in rawjson.Members
	in.Text("command", command)
	err := s.c.Answer(assemble.Answer{At: at, Key: s.key,
		Calls: []assemble.Call{{ID: one.id, Name: "shell", Input: in.End(), Command: command}}})
	if err != nil {
		return err
	}
	var result assemble.Result // the file does not have the command's output
	if rejected {
		result.Error = records.ErrorRejected
	}
	return s.c.Result(at, one.id, result)
}
