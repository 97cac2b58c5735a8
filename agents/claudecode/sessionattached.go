package claudecode

import (
	"cmp"
	"strings"

	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
	"github.com/git-trace/git-trace/records/rawjson"
)

// attachment handles an attachment that the client added.
func (s *session) attachment(ch *chain, e *entry, at records.Locator) error {
	kind := memberText(e.attachment, "type")
	d := rawjson.NewDecoder(e.attachment)
	switch kind {
	case "queued_command":
		return s.queued(ch, e, at)
	case "edited_text_file":
		ch.c.Append("foreign_changes", "after_step", map[string]any{"path": memberText(e.attachment, "filename"),
			"timestamp": e.time})
	case "environment":
		ch.environment(d)
	case "session_context":
		ch.status(d)
	default:
		if strings.HasPrefix(kind, "hook_") && ch.hookLine(e.attachment, "") {
			break
		}
		ch.skipKind("attachment:", sessionfile.Known(kind))
		return nil
	}
	ch.c.Take()
	return nil
}

func (ch *chain) environment(d *rawjson.Decoder) {
	var platform, shell string
	git := false
	for d.Open(); d.Member(); {
		if string(d.Key()) != "snapshot" {
			continue
		}
		d.Fill("platform", &platform, "shell", &shell, "isGitRepo", &git)
	}
	if platform == "win32" {
		platform = "windows"
	}
	ch.c.Change(func(h *assemble.Head) {
		h.OS, h.Shell = cmp.Or(platform, h.OS), cmp.Or(h.Shell, shell)
		h.Git = h.Git || git
	})
}

// status reads the commit and the branch at the start of the conversation from the output of git status.
func (ch *chain) status(d *rawjson.Decoder) {
	var text string
	for d.Open(); d.Member(); {
		if string(d.Key()) != "context" {
			continue
		}
		for d.Open(); d.Member(); {
			if string(d.Key()) == "gitStatus" {
				text = d.Text()
			}
		}
	}
	_, commits, _ := strings.Cut(text, "\nRecent commits:\n")
	commit, _, _ := strings.Cut(strings.TrimSpace(commits), " ")
	_, branch, _ := strings.Cut(text, "\nCurrent branch: ")
	branch, _, _ = strings.Cut(branch, "\n")
	ch.c.Change(func(h *assemble.Head) {
		if h.BaseCommit == "" && sessionfile.ObjectName(commit) {
			h.BaseCommit = commit
		}
		h.Branch = cmp.Or(h.Branch, strings.TrimSpace(branch))
	})
}
