package trails

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// OpenCall is a call that counts as under way: changes in its work tree may be its own.
type OpenCall struct {
	WorkTree string         `json:"work_tree"`
	Trace    events.TraceID `json:"trace"`
	Agent    string         `json:"agent"`
	Session  string         `json:"session"`
	ToolCall string         `json:"tool_call,omitempty"`
	Tool     string         `json:"tool,omitempty"`
	Since    time.Time      `json:"since"`
	// Why is "running" while its end is waited for, "left_running" where it has ended and left processes, "background"
	// where its agent says that it goes on, "consent" while a person is asked, and "end_unknown" where another boundary
	// was lost that may have been its end.
	Why string `json:"why"`
}

// OpenCalls lists the calls that are under way in all work trees of a repository, the oldest first. It reads the
// states of the last boundaries, and asks for no process.
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
				WorkTree: other.WorkTree, Trace: w.Trace, Agent: w.Agent, Session: w.Session, ToolCall: w.CallID,
				Tool: w.Tool, Since: w.Begun, Why: w.whyOpen(),
			})
		}
	}
	slices.SortStableFunc(out, func(a, b OpenCall) int { return a.Since.Compare(b.Since) })
	return out
}

func (w *Window) whyOpen() string {
	switch {
	case len(w.Left) > 0:
		return "left_running"
	case w.Background:
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
