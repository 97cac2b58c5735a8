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

// cutHistory lets git work without missing or damaged objects, after it failed because of them. For this command,
// commits have only their readable parents, as after a graft. It returns false if no object is missing, so git had
// another reason. Package gitblame does the same for a file whose older contents are missing.
func (a *app) cutHistory(args []string, cause error) bool {
	var failed *refs.GitError
	if a.grafts != "" || !errors.As(cause, &failed) || !refs.NamesUnread(failed.Stderr) {
		return false
	}
	repo, err := a.repo()
	if err != nil {
		return false
	}
	// All objects, since the logs also name commits that no ref leads to.
	out, err := repo.Git(a.life, nil, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)")
	if err != nil {
		return false
	}
	var tips []refs.OID
	for line := range strings.Lines(string(out)) {
		kind, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		if tip, err := refs.ParseOID(id); err == nil && kind == string(refs.CommitObject) {
			tips = append(tips, tip)
		}
	}
	list, unread, err := history.Past(repo, tips)
	if err != nil {
		return false
	}
	lost := map[refs.OID]bool{}
	for _, c := range unread {
		lost[c.ID] = true
		a.leftOut.Note(c.ID)
	}
	text := ""
	for i := range list {
		text += graft(&list[i], lost)
	}
	if text == "" {
		return false
	}
	known, _ := os.ReadFile(filepath.Join(repo.CommonDir, "info", "grafts")) // usually there is none
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

// graft returns the line of a graft file for a commit, with its readable parents; "" if all parents are readable.
func graft(c *history.Commit, lost map[refs.OID]bool) string {
	line := c.ID.String()
	for _, p := range c.Parents {
		if !lost[p] {
			line += " " + p.String()
		}
	}
	if !slices.ContainsFunc(c.Parents, func(p refs.OID) bool { return lost[p] }) {
		return ""
	}
	return line + "\n"
}
