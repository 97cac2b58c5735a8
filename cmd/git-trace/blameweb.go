package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/view/lookup"
)

// withoutWeb takes --web out of the arguments of blame.
func withoutWeb(args []string) (rest []string, web bool) {
	at := slices.Index(args, "--web")
	if end := slices.Index(args, "--"); at < 0 || end >= 0 && end < at {
		return args, false
	}
	return slices.Concat(args[:at], args[at+1:]), true
}

// blameInBrowser opens the page of a file in the work tree, or in a revision.
func (a *app) blameInBrowser(args []string) error {
	var words []string
	dashes := false
	for _, word := range args {
		switch {
		case word == "--" && !dashes:
			dashes = true
		case strings.HasPrefix(word, "-") && !dashes:
			return exit.Fail(exit.Misuse, errors.New("'"+cells.Message(word)+"' cannot be used with --web"),
				"a page shows one file; write its revision before it")
		default:
			words = append(words, word)
		}
	}
	if len(words) == 0 || len(words) > 2 {
		return exit.Usage("name one file, and at most one revision")
	}
	repo, err := a.repo()
	if err != nil {
		return err
	}
	place, named, err := lookup.LinesOf(words[len(words)-1])
	if err != nil {
		return err
	}
	if !named {
		place.Name = words[len(words)-1]
	}
	dir, err := filepath.Abs(a.dir)
	if err != nil {
		return err
	}
	stored, inside := storedPath(repo, dir, place.Name)
	if !inside || stored == "" {
		return exit.Fail(exit.Git, errors.New("'"+cells.Message(place.Name)+"' is not a file of the work tree"), "")
	}
	page := "/blame/worktree"
	switch {
	case len(words) == 2: // a revision, then a file
		id, err := lookup.Commit(a.life, repo, words[0])
		if err != nil {
			return err
		}
		page = "/blame/" + id.String()
	case repo.Bare():
		page = "/blame/HEAD"
	default:
		if info, err := os.Stat(place.Name); err != nil || info.IsDir() {
			return exit.Fail(exit.Git, errors.New("no such file '"+cells.Message(place.Name)+"' in the work tree"), "")
		}
	}
	page = pagePath(page, stored)
	if place.First > 0 {
		page += "?line=" + strconv.Itoa(place.First)
	}
	return a.inBrowser(a.life, page)
}

// showInBrowser opens the page of an id.
func (a *app) showInBrowser(c *call, ids []string) error {
	for _, name := range []string{"json", "markdown", "color"} {
		if c.IsSet(name) {
			return exit.Usage("options '--web' and '--%s' exclude each other", name)
		}
	}
	if len(ids) > 1 {
		return exit.Usage("a page shows one thing: unexpected argument '%s'", ids[1])
	}
	page, err := a.pageOf(c, ids[0])
	if err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	return a.inBrowser(c.Context, page)
}
