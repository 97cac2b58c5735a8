package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/shell"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

func resumeCommand() *command {
	return &command{
		Name: "resume",
		Does: "continue a conversation in its agent",
		Form: "git trace resume [--print] <conversation>\n" +
			"git trace resume --at-step <point> [--after] [--worktree <directory>] [--print | --json]",
		About: "Starts the agent at the top of the work tree and continues the conversation, as far as the agent\n" +
			"still has it. The exit status is the agent's.\n\n" +
			"With --at-step it continues from a point in the middle: from the moment when a prompt (4f2a#3) was\n" +
			"sent or a step (4f2a:12) began. With --after, from the moment when it ended; 4f2a alone means the\n" +
			"end. It makes a linked work tree with the files of that moment, without a branch, and a copy of\n" +
			"the session up to that moment, with an id of its own. In the copy, paths of the old work tree name\n" +
			"the new one. The conversation, its work tree and your branches stay as they are. This works with\n" +
			"Claude Code, Codex and Pi, for conversations that hooks saw here. If something fails, nothing is\n" +
			"left behind. git worktree remove takes the work tree away again.",
		Options: options("print", "json", "at-step", "before", "after", "worktree"),
		Examples: []example{
			{"git trace resume --print 4f2a", "the command that continues a conversation"},
			{"git trace resume --print --at-step '4f2a#2'", "continue from before prompt 2, in a separate work tree"},
		},
		Run:    (*app).resume,
		Traits: verbatim,
		Tries:  []string{"--print 1234", "--print --at-step 1234:1"},
	}
}

func (a *app) resume(c *call, ops operands) error {
	ids := ops.All()
	switch {
	case c.IsSet("at-step") && len(ids) > 0:
		return exit.Usage("--at-step names the conversation: --at-step %s:12", ids[0])
	case c.IsSet("at-step"):
		return a.resumeAt(c, c.String("at-step"))
	case c.IsSet("worktree"), c.Bool("json"), c.Bool("after"), c.Bool("before"):
		return exit.Usage("--worktree, --json, --before and --after need --at-step")
	case len(ids) != 1:
		return exit.Usage("resume takes one conversation")
	}
	repo, known, err := a.recordedIn(c.Context, a.workTree)
	if err != nil {
		return err
	}
	defer known.Close()
	trace, err := known.FindTrace(ids[0])
	if err != nil {
		return lookup.ReportAmbiguous(a.std.err, err)
	}
	found, _, err := known.Conversation(trace)
	if err != nil {
		return err
	}
	line, err := resumeLine(&found)
	if err != nil {
		return err
	}
	if c.Bool("print") {
		_, err := fmt.Fprintln(a.std.out, cells.Message(shell.Line(line)))
		return err
	}
	return a.handOver(repo.WorkTree, line)
}

// resumeLine returns the agent's command line for a conversation. The session id of a fetched log is foreign data: one
// that looks like an option is refused.
func resumeLine(trace *view.Conversation) ([]string, error) {
	agent, known := agents.Lookup(capability.Env{}, trace.Agent)
	if !known || agent.Resumer == nil {
		return nil, exit.Fail(exit.Git, fmt.Errorf("git-trace does not know how %s continues a conversation", trace.Agent),
			"")
	}
	if !payload.SessionID(trace.Session) || strings.HasPrefix(trace.Session, "-") {
		return nil, exit.Fail(exit.Git, errors.New("the conversation has no session id to give to an agent"), "")
	}
	return agent.Resumer.Resume(trace.Session), nil
}

// handOver runs the agent on this process's terminal, and ends with the agent's exit status.
func (a *app) handOver(dir string, line []string) error {
	program, err := exec.LookPath(line[0])
	if err != nil {
		return exit.Fail(exit.Git, fmt.Errorf("%s is not in PATH", line[0]),
			"git trace resume --print shows the command line")
	}
	cmd := exec.Command(program, line[1:]...)
	a.signals.Leave()
	a.line.End()
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return exit.Silent(max(ended.ExitCode(), 1))
	}
	return err
}
