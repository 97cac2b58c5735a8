package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/correlate/history"
	"github.com/git-trace/git-trace/refs"
)

// historyReaders are the commands that only read, and can begin anew without a part of the history.
var historyReaders = []string{"blame", "diff", "log", "graph", "show", "stats", "why", "track", "report", "search",
	"export",
	"steering", "lessons", "handoff", "trailers", "status"}

// cutHistory lets git work without missing or damaged objects, after it gave up because of them: for this command
// commits have only the parents that can be read, as if the others had been grafted away. If a blame gave up,
// parents whose content of the file is missing are cut off too: as at the end of a shallow clone, the last readable
// commit gets the lines. It returns false if nothing is missing and git had another reason.
func (a *app) cutHistory(args []string, cause error) bool {
	var failed *refs.GitError
	if a.grafts != "" || !errors.As(cause, &failed) || len(args) == 0 || !slices.Contains(historyReaders, args[0]) {
		return false
	}
	repo, err := a.repo()
	if err != nil {
		return false
	}
	out, err := repo.Git(a.life, nil, "for-each-ref", "--format=%(objectname)", "refs/heads", "refs/remotes")
	if err != nil {
		return false
	}
	var tips []refs.OID
	head, _ := repo.Git(a.life, nil, "rev-parse", "--verify", "--quiet", "HEAD") // none of an unborn branch
	for line := range strings.Lines(string(head) + string(out)) {
		if tip, err := refs.ParseOID(strings.TrimSpace(line)); err == nil {
			tips = append(tips, tip)
		}
	}
	list, unread, err := history.Past(repo, tips)
	if err != nil || len(tips) == 0 {
		return false
	}
	cut := &historyCut{app: a, objects: repo.Objects(), lost: map[refs.OID]bool{}}
	defer func() { _ = cut.objects.Close() }()
	for _, c := range unread {
		cut.lost[c.ID] = true
		a.leftOut.Note(c.ID)
	}
	if failed.Verb == "blame" {
		cut.path = cut.named(repo, tips[0], args)
	}
	text := ""
	for i := range list {
		text += cut.graft(&list[i])
	}
	if text == "" {
		return false
	}
	known, _ := os.ReadFile(filepath.Join(repo.CommonDir, "info", "grafts")) // usually there are none
	return a.writeGrafts(strings.TrimRight(string(known), "\n") + "\n" + text)
}

func (a *app) writeGrafts(text string) bool {
	file, err := os.CreateTemp("", "git-trace-grafts-")
	if err != nil {
		return false
	}
	_, err = file.WriteString(text)
	if errors.Join(err, file.Close()) != nil {
		_ = os.Remove(file.Name())
		return false
	}
	a.grafts = file.Name()
	return true
}

// historyCut finds where a history cannot be followed.
type historyCut struct {
	app     *app
	objects *refs.Objects
	lost    map[refs.OID]bool // commits that cannot be read
	path    string            // the file that is blamed; empty for none
}

// named returns the file that arguments of a command name, as a commit has it.
func (h *historyCut) named(repo *refs.Repo, commit refs.OID, args []string) string {
	dir, err := filepath.Abs(h.app.dir)
	if err != nil {
		return ""
	}
	for _, arg := range slices.Backward(args) {
		name, _, _ := strings.Cut(arg, ":")
		path, err := filepath.Rel(repo.Top(), filepath.Join(dir, name))
		if err != nil {
			continue
		}
		path = filepath.ToSlash(path)
		if e, err := h.objects.EntryAt(commit, path); err == nil && !e.OID.IsZero() && !e.IsDir() {
			return path
		}
	}
	return ""
}

// graft returns the line of a graft file for a commit, with the parents that git can go on to; empty if these are all.
func (h *historyCut) graft(c *history.Commit) string {
	line := c.ID.String()
	cut := false
	for _, p := range c.Parents {
		if h.lost[p] || h.path != "" && h.endsAt(c.ID, p) {
			cut = true
			continue
		}
		line += " " + p.String()
	}
	if !cut {
		return ""
	}
	if h.path != "" {
		h.app.leftOut.Note(c.ID)
	}
	return line + "\n"
}

// endsAt reports whether the file cannot be followed from a commit to its parent: it differs, and the parent's
// content is not here. A file that the parent does not have may have had another name there.
func (h *historyCut) endsAt(commit, parent refs.OID) bool {
	here, err := h.objects.EntryAt(commit, h.path)
	there, failed := h.objects.EntryAt(parent, h.path)
	switch {
	case err != nil || failed != nil:
		return true
	case here.OID == there.OID:
		return false
	case there.OID.IsZero():
		return !here.OID.IsZero()
	}
	_, err = h.objects.Blob(there.OID)
	return err != nil && there.Mode != refs.ModeGitlink
}
