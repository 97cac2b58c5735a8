package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/cells/patch"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/redact/configured"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/show"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/upkeep/capsule"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/exchange"
	"github.com/git-trace/git-trace/view/lookup"
)

func capsuleCommand() *command {
	return &command{
		Name: "capsule",
		Does: "pack a prompt, its files and its test into one file, for an issue or a colleague",
		Form: "git trace capsule [--yes] -o <file> (<conversation> | <prompt>)\n" +
			"git trace capsule open [--json] <capsule>\n" +
			"git trace capsule test [--before] [--yes] <capsule>",
		About: "Writes the steps of a prompt or a conversation, the files that it changed, as they were before and\n" +
			"after, and the test that the agent ran, into one file. Secrets and names are removed. It shows\n" +
			"what the file holds and asks before it writes it.\n\n" +
			"open prints such a file as Markdown: the steps and the changes. It runs nothing and writes\n" +
			"nothing. test shows the command and asks. Then it makes a work tree in a temporary directory, from\n" +
			"the commit of the capsule if that is here, puts the files into it, and runs the command there.\n" +
			"--before takes the files from before the prompt. The exit status is 1 if the test fails.",
		Options: options("output", "yes", "json", "before"),
		Examples: []example{
			{"git trace capsule --yes -o capsule.json '4f2a#2'", "prompt 2, with its files and its test"},
		},
		Run:    (*app).capsule,
		Traits: verbatim,
		Tries:  []string{"-o capsule.json 1234", "open a", "test a"},
	}
}

func (a *app) capsule(c *call, ops operands) error {
	words := ops.All()
	does := ""
	if len(words) > 0 && (words[0] == "open" || words[0] == "test") {
		does, words = words[0], words[1:]
	}
	switch {
	case len(words) != 1:
		return exit.Usage("capsule takes one conversation, one prompt, or open or test and one file")
	case does == "" && c.String("output") == "":
		return exit.Usage("option '--output' is missing: the file to write")
	case does != "" && c.IsSet("output"), does != "open" && c.Bool("json"),
		does != "test" && c.Bool("before"):
		return exit.Usage("-o needs a conversation, --json needs open, --before needs test")
	case does == "":
		return a.makeCapsule(c, words[0])
	}
	file, err := os.Open(words[0])
	if err != nil {
		return exit.Fail(exit.Unchecked, exchange.FileFault(words[0], refs.PathCause(err)), "")
	}
	defer func() { _ = file.Close() }()
	made, record, err := capsule.Read(file)
	if err != nil {
		return exit.Fail(exit.Unchecked, exchange.FileFault(words[0], err), "")
	}
	if does == "test" {
		return a.testCapsule(c, made)
	}
	if c.Bool("json") {
		return made.Write(terminal.Quietly(a.std.out))
	}
	return openCapsule(a.std.out, made, record)
}

// makeCapsule writes the capsule of the given conversation or prompt.
func (a *app) makeCapsule(c *call, word string) error {
	repo, known, err := a.recorded(c.Context)
	if err != nil {
		return err
	}
	defer known.Close()
	r := &lookup.Resolver{Repo: repo, Known: known}
	p, found, err := r.PlaceNamed(c.Context, word)
	switch {
	case err != nil:
	case p.Step > 0:
		err = exit.Fail(exit.Misuse, fmt.Errorf("'%s' is a step: a capsule holds a conversation or a prompt", word),
			fmt.Sprintf("git trace show %.8s lists its prompts", p.Trace))
	case !found || p.Trace == "":
		p = view.Place{}
		p.Trace, err = known.FindTrace(word)
	}
	if err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	of, _, err := known.Conversation(p.Trace)
	if err != nil {
		return err
	}
	redactor, err := configured.Redactor(c.Context, repo)
	if err != nil {
		return exit.Fail(exit.Leak, err, "nothing is written while the rules of redaction cannot be read")
	}
	maker := capsule.Maker{Repo: repo, Reader: known.Reader, Redactor: redactor}
	made, err := maker.Make(c.Context, &of, p.Prompt)
	if err != nil {
		return cannotEnclose(p.Trace, word, err)
	}
	tellCapsule(a.std.err, made)
	if err := a.agrees(c, "write it to "+c.String("output")+"?", "nothing was written"); err != nil {
		return err
	}
	var text strings.Builder
	if err := made.Write(&text); err != nil {
		return err
	}
	return a.output("capsule", c.String("output"), text.String())
}

func cannotEnclose(trace events.TraceID, word string, err error) error {
	switch {
	case errors.Is(err, capsule.ErrNoRecord):
		return lookup.NoRecord(trace)
	case errors.Is(err, capsule.ErrBlocked):
		return exchange.Blocked(trace)
	case errors.Is(err, capsule.ErrNoPrompt):
		return exit.Fail(exit.Finding, fmt.Errorf("%s: %w", word, err), fmt.Sprintf("git trace show %.8s lists them", trace))
	}
	return err
}

// agrees asks the person. Without a terminal, only --yes agrees.
func (a *app) agrees(c *call, question, otherwise string) error {
	if c.Bool("yes") {
		return nil
	}
	if !terminal.Is(a.std.err) {
		return exit.Fail(exit.Misuse, errors.New(otherwise+": there is no terminal to ask on"),
			"--yes answers without asking")
	}
	if !a.asks(cells.Message(question)) {
		return exit.Fail(exit.Finding, errors.New(otherwise), "")
	}
	return nil
}

// tellCapsule describes the content of a capsule.
func tellCapsule(w io.Writer, c *capsule.Capsule) {
	of := string(c.Trace)
	if c.Prompt != nil {
		of = fmt.Sprintf("%s#%d", of, *c.Prompt)
	}
	fmt.Fprintf(w, "%s: its steps and %s; %s removed\n", cells.Message(of), numbers.Count(len(c.Files), "file"),
		numbers.Count(c.Redacted, "piece"))
	for _, f := range c.Files {
		note := ""
		if f.Redacted {
			note = " (changed: redaction removed something)"
		}
		fmt.Fprintf(w, "  %s%s\n", cells.Message(f.Path), note)
	}
	for _, l := range c.Left {
		fmt.Fprintf(w, "  left out: %s: %s\n", cells.Message(l.Path), cells.Message(l.Why))
	}
	if c.Test != nil {
		fmt.Fprintf(w, "  test: %s\n", cells.Message(c.Test.Command))
	}
}

// openCapsule prints a capsule as Markdown.
func openCapsule(w io.Writer, c *capsule.Capsule, record *records.Record) error {
	m := &show.MarkdownPage{}
	m.Record(&view.Conversation{Trace: c.Trace}, record)
	if c.Commit != nil {
		m.Fact("commit before", *c.Commit)
	}
	for i := range c.Files {
		f := &c.Files[i]
		change, err := changeOf(f)
		if err != nil {
			return err
		}
		m.Part(cells.Safe(f.Path), change)
	}
	for _, l := range c.Left {
		m.Fact("left out", l.Path+": "+l.Why)
	}
	if c.Test != nil {
		m.Part("Test", c.Test.Command)
	}
	_, err := io.WriteString(terminal.Quietly(w), m.Text())
	return err
}

// changeOf returns the change of a file as a patch.
func changeOf(f *capsule.File) (string, error) {
	names, texts := [2]string{}, [2][]byte{}
	for i, text := range []*string{f.Before, f.After} {
		if text != nil {
			names[i], texts[i] = f.Path, []byte(*text)
		}
	}
	var changes []patch.Change
	for _, h := range linediff.Diff(linediff.Split(texts[0]), linediff.Split(texts[1]), linediff.Options{}).Hunks {
		changes = append(changes, patch.Change{OldStart: h.OldStart + min(h.OldCount, 1), OldCount: h.OldCount,
			NewStart: h.NewStart + min(h.NewCount, 1), NewCount: h.NewCount})
	}
	made, err := patch.Of(names[0], names[1], texts[0], texts[1], changes)
	if err != nil {
		return "", err
	}
	return made.Draw(patch.Style{})
}

// testCapsule runs the test of a capsule in a scratch work tree.
func (a *app) testCapsule(c *call, made *capsule.Capsule) (err error) {
	if made.Test == nil {
		return exit.Fail(exit.Finding, errors.New("the capsule has no test"), "")
	}
	repo, err := a.repo()
	if err != nil && !errors.Is(err, refs.ErrNotRepository) {
		return err
	}
	tellCapsule(a.std.err, made)
	if err := a.agrees(c, "run this command on this machine?", "nothing was run"); err != nil {
		return err
	}
	top, err := os.MkdirTemp("", "git-trace-capsule-")
	if err != nil {
		return fmt.Errorf("make a work tree: %w", err)
	}
	dir := filepath.Join(top, "work")
	linked := checkOut(c.Context, repo, made.Commit, dir)
	if !linked {
		if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
			return fmt.Errorf("make a work tree: %w", errors.Join(err, os.RemoveAll(top)))
		}
		fmt.Fprintln(a.std.err, "git-trace: hint: its commit is missing or cannot be checked out: the work tree has "+
			"only the files of the capsule")
	}
	defer func() {
		if linked {
			_, _ = repo.Git(context.WithoutCancel(c.Context), nil, "worktree", "remove", "--force", "--", dir)
		}
		err = errors.Join(err, os.RemoveAll(top))
	}()
	if err := made.Lay(dir, c.Bool("before")); err != nil {
		return exit.Fail(exit.Finding, err, "nothing was run")
	}
	a.line.End()
	cmd := exec.CommandContext(c.Context, "sh", "-c", made.Test.Command)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, outsideGit(), a.std.out, a.std.err
	failed := cmd.Run()
	var ended *exec.ExitError
	switch {
	case failed == nil:
		fmt.Fprintln(a.std.out, "the test passed")
		return nil
	case errors.As(failed, &ended):
		fmt.Fprintln(a.std.out, "the test failed")
		return exit.Silent(exit.Finding)
	}
	return fmt.Errorf("run the test: %w", failed)
}

// checkOut adds a linked work tree with a detached HEAD at a commit, without running hooks. It returns false if the
// commit is not here.
func checkOut(ctx context.Context, repo *refs.Repo, commit *string, dir string) bool {
	if repo == nil || commit == nil {
		return false
	}
	_, err := repo.Git(ctx, nil, "-c", "core.hooksPath="+os.DevNull, "worktree", "add", "--quiet", "--detach", "--force",
		"--", dir, *commit)
	return err == nil
}
