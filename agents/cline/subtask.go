package cline

import (
	"bytes"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// newTask is Roo's tool that starts a subtask and waits for it.
const newTask = "new_task"

// atWork and finished are the beginnings of the results of a call that starts a subtask: atWork while the subtask runs,
// finished afterwards. The id of the subtask follows.
const (
	atWork   = "Delegated to child task "
	finished = "Subtask "
)

var delegation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^(?:" + atWork + "|" + finished + `)([0-9A-Za-z][0-9A-Za-z-]{7,63})\b`)
})

// delegatedTo returns the id of the subtask that a result names; "" if there is none.
func delegatedTo(result string) string {
	if m := delegation().FindStringSubmatch(result); m != nil {
		return m[1]
	}
	return ""
}

// `delegated` sets the subtask of a call that still waits for its result.
func (s *session) delegated() error {
	calls := s.c.Pending(newTask)
	if payload.CheckedID(s.child) == "" || len(calls) == 0 {
		return nil
	}
	s.c.Drop(records.ErrorNoResult)
	return s.c.Result(records.Locator{}, calls[0].ID, assemble.Result{Error: records.ErrorNoResult, Subagent: s.child})
}

// subtask finds the conversation of a subtask: it is in a sibling folder of the parent's folder, and must name the
// parent.
func subtask(of sessionfile.Place, call *assemble.Call, id string) sessionfile.Place {
	path := filepath.Join(filepath.Dir(filepath.Dir(of.Path)), payload.CheckedID(id), filepath.Base(of.Path))
	if payload.CheckedID(id) == "" || parentOf(path) != filepath.Base(filepath.Dir(of.Path)) {
		return sessionfile.Place{}
	}
	return sessionfile.Place{Path: path, Session: id, Role: payload.Name(rawjson.MemberText(call.Input, "mode"))}
}

// parentOf returns the id of the task that started this one; "" if there is none.
func parentOf(path string) string {
	return payload.CheckedID(rawjson.MemberText(beside(path, itemFile), "parentTaskId"))
}

// toldByParent reports whether the conversation of the parent task names the subtask.
func toldByParent(path, id string) bool {
	parent := parentOf(path)
	if parent == "" {
		return false
	}
	path = filepath.Join(filepath.Dir(filepath.Dir(path)), parent, filepath.Base(path))
	if said := beside(path, filepath.Base(path)); bytes.Contains(said, []byte(finished+id)) ||
		bytes.Contains(said, []byte(atWork+id)) {
		return true
	}
	return rawjson.MemberText(beside(path, itemFile), "awaitingChildId") == id
}
