package trails

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
)

// An id identifies a call, so the end of a call closes it in every work tree. The end of a turn or a session closes its
// calls in every work tree. An agent may move to another work tree meanwhile. So the user's state directory holds, for
// each conversation, a list of the work trees in which its calls began.

// Elsewhere lists other work trees with open calls that the boundary ends, in addition to the work trees at the
// boundary's place. It notes the work trees in which a call begins. It opens a work tree of the list only if the user
// records it.
func Elsewhere(b events.Boundary, here []*refs.Repo) []*refs.Repo {
	if b.OnlyReads() {
		return nil
	}
	switch b.Kind {
	case events.ToolBefore:
		noteBegun(b, here)
		return nil
	case events.ToolAfter, events.ToolFailed, events.PromptSubmit, events.TurnEnd, events.SubagentEnd, events.SessionStart,
		events.SessionEnd:
	default:
		return nil
	}
	name, known := begunFile(b)
	if !known {
		return nil
	}
	var out []*refs.Repo
	for _, top := range append(begunIn(name), beside(b, here)...) {
		at := func(r *refs.Repo) bool { return r.WorkTree == top }
		if slices.ContainsFunc(here, at) || slices.ContainsFunc(out, at) {
			continue
		}
		found, err := refs.FindHook(top)
		if err != nil || found.Top != top {
			continue
		}
		repo, err := recorded.Open(found)
		if err != nil {
			continue
		}
		if state, err := loadState(repo); err == nil && state.endsAt(b) {
			out = append(out, repo)
		}
	}
	if b.Kind == events.SessionEnd {
		_ = os.Remove(name)
	}
	return out
}

// `beside` lists the other work trees of the repositories in which a call ends, if the listed ones do not know the
// call: its end may be reported by another session, which has another list. For example: an agent enters a work tree,
// and its client continues there with a new session.
func beside(b events.Boundary, here []*refs.Repo) (tops []string) {
	if !b.EndsCall() || b.Tool == nil || b.Tool.CallID == "" {
		return nil
	}
	for _, repo := range here {
		all := repo.WorkTrees()
		if len(all) < 2 {
			continue
		}
		if state, err := loadState(repo); err != nil || state.endsAt(b) {
			return nil
		}
		tops = append(tops, all...)
	}
	return tops
}

// endsAt reports whether a boundary ends an open call of a conversation.
func (s *state) endsAt(b events.Boundary) bool {
	trace := events.NewTraceID(b.Agent, b.Session)
	if b.EndsCall() {
		return slices.ContainsFunc(s.openWindows(), func(w *Window) bool {
			if b.Tool.CallID == "" {
				return w.Call.Trace == trace && w.Call.Print != "" && w.Call.Print == b.Tool.Fingerprint
			}
			return w == s.call(trace, b)
		})
	}
	if sess := s.Sessions[trace]; sess != nil && !sess.Idle && (b.Kind == events.TurnEnd || b.Kind == events.SessionEnd) {
		return true
	}
	return slices.ContainsFunc(s.openWindows(), func(w *Window) bool { return w.Call.Trace == trace })
}

// longSilent is the age from which the list of a conversation without an end is dropped.
const longSilent = 30 * 24 * time.Hour

// begunFile returns the list of a conversation.
func begunFile(b events.Boundary) (name string, known bool) {
	dir, err := recorded.StateDir()
	if err != nil || b.Session == "" {
		return "", false
	}
	return filepath.Join(dir, "begun", string(events.NewTraceID(b.Agent, b.Session))), true
}

// begunIn reads a list.
func begunIn(name string) (tops []string) {
	raw, err := refs.ReadFile(name)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(raw)) {
		if top, err := strconv.Unquote(strings.TrimSuffix(line, "\n")); err == nil {
			tops = append(tops, top)
		}
	}
	return tops
}

// noteBegun adds the work trees of a new call to the list.
func noteBegun(b events.Boundary, here []*refs.Repo) {
	name, known := begunFile(b)
	if !known || len(here) == 0 {
		return
	}
	tops := begunIn(name)
	var more strings.Builder
	for _, repo := range here {
		if !slices.Contains(tops, repo.WorkTree) {
			more.WriteString(strconv.QuoteToASCII(repo.WorkTree) + "\n")
		}
	}
	if more.Len() == 0 {
		return
	}
	if tops == nil {
		if err := refs.MakeDirs(filepath.Dir(name), 0o700); err != nil {
			return
		}
		dropOld(filepath.Dir(name))
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return // the end of the agent's process also ends the call
	}
	_, _ = file.WriteString(more.String())
	_ = file.Close()
}

// dropOld removes the lists of conversations that never ended.
func dropOld(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > longSilent {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}

// OpenCall is a call that counts as running: changes in its work tree may be its own.
type OpenCall struct {
	WorkTree string         `json:"work_tree"`
	Trace    events.TraceID `json:"trace"`
	Agent    string         `json:"agent"`
	Session  string         `json:"session"`
	ToolCall string         `json:"tool_call,omitempty"`
	Tool     string         `json:"tool,omitempty"`
	Since    time.Time      `json:"since"`
	// `Why` is "running" until its end, "left_running" if it has ended and left processes, "background" if its agent says
	// that it continues, "consent" while a person is asked, and "end_unknown" if a lost boundary may have been its end.
	Why string `json:"why"`
}

// OpenCalls lists the running calls in all work trees of a repository, the oldest first. It reads the states of the
// last boundaries, and does not check processes.
func OpenCalls(repo *refs.Repo) []OpenCall {
	var out []OpenCall
	for _, dir := range append([]string{repo.GitDir}, otherWorkTrees(repo)...) {
		other := *repo
		other.GitDir = dir
		if dir != repo.GitDir {
			other.WorkTree = topOf(dir, repo)
		}
		state, err := loadState(&other)
		if err != nil {
			continue
		}
		for _, w := range state.openWindows() {
			out = append(out, OpenCall{
				WorkTree: other.WorkTree, Trace: w.Call.Trace, Agent: w.Call.Agent, Session: w.Call.Session, ToolCall: w.Call.ID,
				Tool: w.Call.Tool, Since: w.Run.Begun, Why: w.whyOpen(),
			})
		}
	}
	slices.SortStableFunc(out, func(a, b OpenCall) int { return a.Since.Compare(b.Since) })
	return out
}

func (w *Window) whyOpen() string {
	switch {
	case len(w.Run.Left) > 0:
		return "left_running"
	case w.Run.Background:
		return "background"
	case w.Doubt:
		return "end_unknown"
	case !w.Asked.IsZero():
		return "consent"
	}
	return "running"
}

// topOf returns the work tree of another git directory of a repository; "" if it is unknown.
func topOf(gitDir string, repo *refs.Repo) string {
	if gitDir == repo.CommonDir {
		return strings.TrimSuffix(gitDir, "/.git")
	}
	raw, err := os.ReadFile(filepath.Join(gitDir, "gitdir"))
	if err != nil {
		return ""
	}
	name := strings.TrimRight(string(raw), "\r\n")
	if !filepath.IsAbs(name) {
		name = filepath.Join(gitDir, name)
	}
	return filepath.Dir(name)
}
