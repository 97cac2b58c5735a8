package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/report/show"
)

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
