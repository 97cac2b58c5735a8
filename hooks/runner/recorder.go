package runner

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
)

// startRecorder starts `git trace record` in the background: a hook has no time to read and redact a conversation.
func startRecorder(repo *refs.Repo) (started bool) {
	return Background(repo, repo.WorkTree, withoutGit(os.Environ()),
		"--git-dir="+repo.GitDir, "--work-tree="+repo.WorkTree, "record", "--quiet")
}

// `elsewhere` reports whether the machine will be deleted after the agent's work. Claude Code on the web says so in its
// environment.
func elsewhere() bool {
	return os.Getenv(ElsewhereEnv) != "" || os.Getenv("CLAUDE_CODE_REMOTE") == "true"
}

// publish shares data with every remote that has a sharing level, and waits for the end, if the machine will be
// deleted. If it takes too long, publish returns and the process continues. It does nothing without trace.autoPush.
func publish(repo *refs.Repo) {
	if !elsewhere() {
		return
	}
	_ = os.WriteFile(publishedMark(repo), nil, 0o600) // if this fails, the next call tries again
	cmd := background(repo, repo.WorkTree, withoutGit(os.Environ()), "git-hook", "push-later", "", "")
	if cmd == nil {
		return
	}
	shared := make(chan bool)
	go fault.In(func() {
		_ = cmd.Wait() // the process has recorded any failure
		close(shared)
	})()
	select {
	case <-shared:
	case <-time.After(ElsewhereLimit / 2):
	}
}

// publishedMark returns the path of a file whose time is the last attempt to publish.
func publishedMark(repo *refs.Repo) string {
	return filepath.Join(repo.TracesDir(), "cache", "published")
}

// `committed` reports whether HEAD moved after the last attempt to publish. It is needed because Gemini CLI prevents
// git from calling hooks in its shell (core.hooksPath).
func committed(repo *refs.Repo) bool {
	moved, err := os.Stat(filepath.Join(repo.GitDir, "logs", "HEAD"))
	last, never := os.Stat(publishedMark(repo))
	return err == nil && (never != nil || moved.ModTime().After(last.ModTime()))
}

// withoutGit removes the variables that git sets for its hooks, such as a locked index or another directory.
func withoutGit(env []string) []string {
	out := make([]string, 0, len(env))
	for _, entry := range env {
		if !strings.HasPrefix(entry, "GIT_") || strings.HasPrefix(entry, "GIT_CONFIG") {
			out = append(out, entry)
		}
	}
	return out
}

// noteConversation adds the conversation of a boundary to the waiting list. It reports whether the process that stores
// conversations should start now.
func noteConversation(repo *refs.Repo, agent capability.Agent, b events.Boundary) (due bool) {
	if agent.Parser == nil || b.Agent != agent.Name || b.Session == "" || b.Subagent != "" {
		return false
	}
	switch b.Kind {
	case events.PromptSubmit, events.TurnEnd, events.SessionEnd:
	default:
		return false
	}
	if b.Transcript != "" {
		if _, err := os.Stat(b.Transcript); err != nil && b.Kind != events.SessionEnd {
			return false // nothing has been written yet
		}
	} else if agent.Discoverer == nil {
		return false
	}
	open := b.Kind == events.PromptSubmit
	err := waiting.Open(repo).Note(waiting.Session{
		Trace: events.NewTraceID(agent.Name, b.Session), Agent: agent.Name, Session: b.Session, Transcript: b.Transcript,
		WorkTree: repo.WorkTree, Open: open,
	})
	if err != nil {
		NoteFailure(repo, err)
		return false
	}
	return !open
}
