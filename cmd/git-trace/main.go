// Command git-trace records the changes of coding agents in a repository, and names the conversation that wrote a line.
// If the program is in PATH, git runs it as `git trace`.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/hooks"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/fault"
	"github.com/git-trace/git-trace/internal/memory"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/report/show"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/upkeep/testimony"
)

func main() {
	fault.Tell()
	os.Exit(fault.Run(func() int { return run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}) }))
}

// streams are the standard streams. Tests replace them.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run chooses the function for a call. It handles the calls of agents and git before it makes the commands, because
// these calls come thousands of times a day.
func run(args []string, std streams) int {
	if runner.Takes(args) {
		return runner.Run(args, std.in)
	}
	if len(args) > 0 {
		switch args[0] {
		case "git-hook":
			return runHeavyHook(args[1:])
		case "--version", "version", "-v":
			fmt.Fprintln(std.out, "git-trace version "+version.Text())
			return 0
		}
	}
	memory.CollectLate()
	return runApp(args, std)
}

// runHeavyHook runs a hook that needs code which package runner may not link. It always returns success.
func runHeavyHook(args []string) int {
	fault.Hush()
	if len(args) == 0 {
		return exit.Done
	}
	switch args[0] {
	case hooks.TrailersHook:
		return runTrailersHook(args[1:])
	case hooks.PushHook:
		return runPushHook(args[1:])
	case runner.EnrolHook:
		return runEnrol()
	case runner.SummaryHook:
		return runSummaryHook()
	case runner.EarlierHook:
		return runEarlierHook()
	case pushLaterHook:
		return runPushLater(args[1:])
	}
	return exit.Done
}

// runEarlierHook prints how many prompts a conversation had before its first hook.
func runEarlierHook() int {
	_, hard := runner.Limits()
	defer runner.Guard(hard, nil)()
	if env, err := agents.SystemEnv(); err == nil {
		testimony.PrintEarlier(context.Background(), env, os.Stdin, os.Stdout)
	}
	return exit.Done
}

// runSummaryHook prints one line about the newest commit: the owners of its lines, and their conversations.
// git-trace-hook starts it on the terminal of the person who made the commit.
func runSummaryHook() int {
	_, hard := runner.Limits()
	guard := runner.Guard(hard, nil)
	defer guard()
	if refs.FetchNothing() != nil {
		return exit.Done
	}
	repo, err := recorded.Here()
	if err != nil {
		return exit.Done
	}
	ctx, cancel := context.WithTimeout(context.Background(), hard)
	defer cancel()
	if line, err := summaryOf(ctx, repo); err == nil && line != "" {
		if width, _ := terminal.Width(os.Stdout); width > 0 {
			line = cells.Cut(line, width)
		}
		fmt.Println(line)
	}
	return exit.Done
}

// summaryOf describes the newest commit in one line; "" if the commit added no lines.
func summaryOf(ctx context.Context, repo *refs.Repo) (string, error) {
	quiet := &app{std: streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}, dir: ".", life: ctx}
	known, err := quiet.openConversations(ctx, repo)
	if err != nil {
		return "", err
	}
	defer known.Close()
	v, err := show.NewViewer(ctx, repo, known)
	if err != nil {
		return "", err
	}
	defer v.Close()
	head, _, err := repo.Head()
	if err != nil || head.IsZero() {
		return "", err
	}
	g, err := v.GraphCommit(head)
	if err != nil || g.Added == 0 || !g.Anchored {
		return "", err
	}
	line := "git-trace: added " + numbers.Count(g.Added, "line") + ": " + g.Owned().String()
	if names := conversationsIn(v, g); len(names) > 0 {
		line += " · " + strings.Join(names, ", ")
	}
	return line, nil
}

// conversationsIn lists the conversations with lines in a commit and their agents, the largest share first.
func conversationsIn(v *show.Viewer, g *graph.Commit) (names []string) {
	told := map[events.TraceID]bool{}
	for i := range g.Contributors {
		if who := &g.Contributors[i]; who.Trace != "" && !told[who.Trace] {
			told[who.Trace] = true
			names = append(names, cells.Safe(cells.Spaced(v.Short(who.Trace), who.Agent)))
		}
	}
	return names
}

// Git has no hook that runs after a push. So the hook that runs before it starts a process that waits for the end of
// git. The user's push takes no longer, and its result is the same.
const (
	pushLaterHook = "push-later"
	// pushLimit is the longest life of that process.
	pushLimit = time.Hour
)

// runPushHook is the pre-push hook: git passes the name of the remote (githooks(5)).
func runPushHook(args []string) int {
	_, hard := runner.Limits()
	guard := runner.Guard(hard, nil)
	defer guard()
	if len(args) == 0 || os.Getenv(sharing.Pushing) != "" {
		return exit.Done
	}
	repo, err := recorded.Here()
	if err != nil {
		return exit.Done
	}
	dir := cmp.Or(repo.WorkTree, repo.GitDir) // a relative URL starts here
	runner.Background(repo, dir, repo.Env(), "git-hook", pushLaterHook, args[0], strconv.Itoa(runner.GitProcess()))
	return exit.Done
}

// runPushLater is the process that waits and then shares. git trace status reports its failures.
func runPushLater(args []string) int {
	guard := runner.Guard(pushLimit, nil)
	defer guard()
	repo, err := recorded.Here()
	if err != nil || len(args) != 2 {
		return exit.Done
	}
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(math.MaxInt64)
	runner.LowerPriority()
	if args[0] != "" { // empty after a turn
		git, _ := strconv.Atoi(args[1])
		waitForGit(git)
	}
	_ = sharing.Auto(context.Background(), events.OpenLog(repo), args[0], meansToShare(repo)) // Auto noted it
	return exit.Done
}

// waitForGit waits until git has ended, with growing pauses. If git's process is unknown, it waits a moment.
func waitForGit(pid int) {
	if pid <= 0 || runtime.GOOS == "windows" {
		time.Sleep(2 * time.Second)
		return
	}
	for pause := 20 * time.Millisecond; events.ProcessLives(pid); pause = min(2*pause, time.Second) {
		time.Sleep(pause)
	}
}
