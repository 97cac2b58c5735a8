package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/cli"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// TestEveryWordOfCompletionIsTaken holds what completion offers against what the program takes: every command and option
// is offered and exists, and no value that is offered is refused as a wrong one is.
func TestEveryWordOfCompletionIsTaken(t *testing.T) {
	t.Parallel()
	testenv.Wide(t)
	dir := filepath.Join(testenv.TempDir(t), "work")
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	home := testenv.TempDir(t)
	run := func(args ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "git-trace", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home)
		out, _ := cmd.CombinedOutput() // what it says of a value tells
		return string(out)
	}
	offered := func(words ...string) []string {
		var out []string
		var said strings.Builder
		(&app{std: streams{out: &said, err: io.Discard}, dir: ".", life: t.Context()}).complete(words)
		for line := range strings.Lines(said.String()) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			out = append(out, word)
		}
		return out
	}
	values := 0
	commands := allCommands()
	for _, c := range commands {
		if !slices.Contains(offered(c.Name[:1]), c.Name) {
			t.Errorf("%s is not offered", c.Name)
		}
		options := offered(c.Name, "--")
		for _, o := range c.Options {
			name := cli.Dashed(o.Names[0])
			if strings.HasPrefix(name, "--") && !slices.Contains(options, name) {
				t.Errorf("%s %s is not offered", c.Name, name)
			}
			if o.Kind == cli.TakesNothing {
				continue
			}
			list := slices.DeleteFunc(offered(c.Name, name, ""), func(v string) bool { return strings.HasPrefix(v, ":") })
			if len(list) == 0 {
				continue // a file, or anything
			}
			const wrong = "nosuchvalue"
			refused := run(c.Name, name+"="+wrong)
			if !strings.Contains(refused, wrong) {
				continue // the command wants something else first
			}
			for _, value := range list {
				values++
				if said := run(c.Name, name+"="+value); said == strings.ReplaceAll(refused, wrong, value) {
					t.Errorf("%s %s offers %s: %s", c.Name, name, value, said)
				}
			}
		}
		for _, option := range options {
			known := slices.ContainsFunc(c.Options, func(o optionUse) bool {
				return slices.ContainsFunc(o.Names, func(n string) bool { return cli.Dashed(n) == option })
			})
			if !known && !c.Is(likeGit) { // these take git's too
				t.Errorf("%s has no %s", c.Name, option)
			}
		}
	}
	if words := offered(""); len(words) != len(commands) {
		t.Errorf("%d commands are offered, there are %d: %v", len(words), len(commands), words)
	}
	if values < 20 {
		t.Errorf("only %d values were tried", values)
	}
}
