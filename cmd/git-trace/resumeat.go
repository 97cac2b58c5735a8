package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/agents/shell"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/companion"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/upkeep/restore"
	"github.com/git-trace/git-trace/upkeep/resume"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

// resumeSchema names the form of the JSON output; docs/schema/resume-1.schema.json describes it.
const resumeSchema = "git-trace.resume/1"

// resumed describes a conversation that continues, in JSON.
type resumed struct {
	Schema      string         `json:"schema"`
	Trace       events.TraceID `json:"trace"`
	Agent       string         `json:"agent"`
	FromSession string         `json:"from_session"`
	Step        *int           `json:"step"`     // the first step that is left out; null for the end
	FilesOf     *int           `json:"files_of"` // an earlier step that has the snapshot; null: the step has its own
	Commit      refs.OID       `json:"commit"`
	Tree        refs.OID       `json:"tree"`
	Worktree    string         `json:"worktree"`
	Directory   string         `json:"directory"` // the directory in which the agent starts
	Session     string         `json:"session"`
	SessionFile string         `json:"session_file"`
	Command     []string       `json:"command"`
	Left        []restoredPath `json:"left"` // paths that differ from the snapshot
}

// resumeAt continues a conversation from a step, in a new work tree.
func (a *app) resumeAt(c *call, word string) error {
	if c.Bool("before") && c.Bool("after") {
		return exit.Usage("--before and --after exclude each other")
	}
	repo, known, err := a.recordedIn(c.Context, a.workTree)
	if err != nil {
		return err
	}
	defer known.Close()
	r := &lookup.Resolver{Repo: repo, Known: known}
	point, err := pointNamed(c, r, word)
	if err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	env, err := companion.Env()
	if err != nil {
		return err
	}
	source, err := point.Source(c.Context, env, repo)
	if err != nil {
		return cannotResume(point.Conversation, word, err)
	}
	dir, err := point.Dir(repo, c.String("worktree"))
	if err != nil {
		return exit.Fail(exit.Finding, fmt.Errorf("%s: %w", dir, err), "--worktree names another directory")
	}
	out, err := a.prepare(c, repo, point, source, dir)
	if err != nil {
		return err
	}
	switch {
	case c.Bool("json"):
		return writeJSON(a.std.out, out)
	case c.Bool("print"):
		_, err = fmt.Fprintf(a.std.out, "cd %s && %s\n", cells.Message(shell.Line([]string{out.Directory})),
			cells.Message(shell.Line(out.Command)))
		return err
	}
	fmt.Fprintf(a.std.err, "git-trace: hint: the work tree is %s\n", cells.Message(out.Worktree))
	return a.handOver(out.Directory, out.Command)
}

// pointNamed finds the point of a conversation that a word means.
func pointNamed(c *call, r *lookup.Resolver, word string) (*resume.Point, error) {
	p, known, err := r.PlaceNamed(c.Context, word)
	if err != nil {
		return nil, err
	}
	if !known || p.Trace == "" {
		p = view.Place{}
		if p.Trace, err = r.Known.FindTrace(word); err != nil {
			return nil, err
		}
	}
	found, _, err := r.Known.Conversation(p.Trace)
	if err != nil {
		return nil, err
	}
	if _, err := resumeLine(&found); err != nil {
		return nil, err
	}
	point, err := resume.Find(c.Context, r.Known.Reader, &found, p, c.Bool("after"))
	switch {
	case errors.Is(err, view.ErrNoMoment):
		return nil, exit.Fail(exit.Finding, fmt.Errorf("%s: %w", word, err), r.Instead(p))
	case err != nil:
		return nil, cannotResume(&found, word, err)
	}
	return point, r.Kept(word, point.Files)
}

// cannotResume explains why a conversation cannot continue from a point.
func cannotResume(c *view.Conversation, word string, err error) error {
	id := string(c.Trace)[:8]
	switch {
	case errors.Is(err, resume.ErrNoRecord):
		return exit.Fail(exit.Finding, fmt.Errorf("%s: %w", word, err), "git trace record "+id+" reads its session file")
	case errors.Is(err, resume.ErrNoCopier):
		return exit.Fail(exit.Git, fmt.Errorf("%s cannot continue from a step in the middle: %w", c.Agent, err),
			"without --at-step it continues from the end; git trace restore "+id+":STEP -- . brings the files back")
	case errors.Is(err, resume.ErrChanged):
		return exit.Fail(exit.Finding, fmt.Errorf("%s: %w", word, err),
			"git trace record "+id+" reads the session file again")
	case errors.Is(err, resume.ErrNoFile), errors.Is(err, resume.ErrPacked), errors.Is(err, resume.ErrSubagent),
		errors.Is(err, resume.ErrNoStep), errors.Is(err, resume.ErrFirst):
		return exit.Fail(exit.Finding, fmt.Errorf("%s: %w", word, err), "git trace show "+id+" lists its steps")
	}
	return err
}

// prepare makes the work tree and the copy of the session. If either fails, it removes both.
func (a *app) prepare(c *call, repo *refs.Repo, point *resume.Point, source *resume.Source,
	dir string) (out *resumed, err error) {
	linked, err := point.Add(c.Context, repo, dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			resume.Remove(c.Context, repo, dir)
		}
	}()
	plan, err := a.bringBack(c, linked, point.Files.Tree)
	if err != nil {
		return nil, err
	}
	commit, err := resume.Head(c.Context, linked)
	if err != nil {
		return nil, err
	}
	session, err := source.Copy(repo, linked.WorkTree)
	if err != nil {
		return nil, err
	}
	list := restored{DryRun: true}
	list.tell(plan)
	copied := *point.Conversation
	copied.Session = session.ID
	line, err := resumeLine(&copied)
	number := func(n int) *int {
		if n == 0 {
			return nil
		}
		return &n
	}
	if point.Seen > 0 {
		fmt.Fprintf(a.std.err, "git-trace: hint: no hook looked at the files then; they have the state after step %d\n",
			point.Seen)
	}
	for _, l := range list.Left {
		fmt.Fprintf(a.std.err, "git-trace: warning: %s is not as it was: %s\n", cells.Message(l.Path), l.Why)
	}
	return &resumed{
		Schema: resumeSchema, Trace: copied.Trace, Agent: copied.Agent, FromSession: point.Conversation.Session,
		Step: number(point.Step), FilesOf: number(point.Seen), Commit: commit, Tree: point.Files.Tree,
		Worktree: strings.ToValidUTF8(linked.WorkTree, "\ufffd"), Directory: strings.ToValidUTF8(session.Dir, "\ufffd"),
		Session: session.ID, SessionFile: strings.ToValidUTF8(session.Path, "\ufffd"), Command: line, Left: list.Left,
	}, err
}

// bringBack restores the files of a snapshot in a new work tree.
func (a *app) bringBack(c *call, linked *refs.Repo, tree refs.OID) (*restore.Plan, error) {
	turn, err := restore.Begin(linked)
	if err != nil {
		return nil, err
	}
	defer turn.End()
	now, err := takeSnapshot(c.Context, linked)
	if err != nil {
		return nil, err
	}
	plan, err := restore.Whole(c.Context, linked, tree, now.Tree)
	if err != nil {
		return nil, refused(err)
	}
	if len(plan.Changes) > 0 {
		_, err = a.carryOut(c.Context, linked, plan, plan.Contents())
	}
	return plan, err
}
