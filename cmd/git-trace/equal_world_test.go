package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// tale is a random history whose conversations are known from hooks, from a backfill, from an import, from another
// clone, or from two of them. The truth about each conversation is written down while it is made. Every line says
// something and is unique.
type tale struct {
	*pastWorld
	seed  int64
	at    machine // where one works now
	here  machine // the clone that is asked in the end
	talks []*talk
	ran   []string // commands that change something, for a report

	unheard bool // git's hooks are switched off
}

// machine is a clone and the home of who works in it.
type machine struct{ name, dir, home, folder string }

func newTale(t testing.TB, seed int64) *tale {
	w := newPastWorld(t, seed)
	c := &tale{pastWorld: w, seed: seed}
	c.here = machine{"here", w.dir, w.home, w.folder}
	c.at = c.here
	c.equip()
	return c
}

// equip gives a machine an agent and a table of prices.
func (c *tale) equip() {
	c.must(os.MkdirAll(filepath.Join(c.home, ".claude"), 0o755))
	c.must(os.WriteFile(filepath.Join(c.home, "prices.json"), []byte(talePrices), 0o644))
	config := "[init]\n\tdefaultBranch = main\n[maintenance]\n\tauto = false\n[gc]\n\tautoDetach = false\n[advice]\n\tdetachedHead = false\n" +
		"[trace]\n\tprices = " + filepath.Join(c.home, "prices.json") + "\n"
	c.must(os.WriteFile(filepath.Join(c.home, ".gitconfig"), []byte(config), 0o644))
}

// talePrices are prices of some of the models, for a million tokens.
const talePrices = `{"schema": "git-trace.prices/1", "as_of": "2026-01-01", "models": [
	{"prefix": "anthropic/claude-opus-4-5", "input": 4, "output": 16, "cache_read": 1, "cache_write": 8},
	{"prefix": "openai/gpt-6-sol", "input": 2, "output": 32, "cache_read": 1},
	{"prefix": "google/gemini-2.5-pro", "input": 1, "output": 8, "cache_read": 1}
]}`

// taleModels are the models that the transcripts of agents name, and what a million tokens of them cost, nil where no
// table says it.
var taleModels = map[string]struct {
	name  string
	price []float64 // in, out, read, write
}{
	"claude-code": {"claude-opus-4-5", []float64{4, 16, 1, 8}},
	"pi":          {"claude-opus-4-5", []float64{4, 16, 1, 8}},
	"codex-cli":   {"gpt-6-sol", []float64{2, 32, 1, 2}},
	"gemini-cli":  {"gemini-2.5-pro", []float64{1, 8, 1, 1}},
	"opencode":    {"m", nil},
	"copilot-cli": {"gpt-5.2", nil},
	"qwen-code":   {"qwen3-coder", nil},
}

// go moves to another machine.
func (c *tale) goTo(m machine) {
	c.at, c.dir, c.home, c.folder = m, m.dir, m.home, m.folder
}

// clone makes another machine with a clone of this one's repository.
func (c *tale) clone(name string) machine {
	from := c.at
	m := machine{name, filepath.Join(testenv.TempDir(c.t), "shop"), testenv.TempDir(c.t), testenv.TempDir(c.t)}
	c.run("git", "clone", "-q", from.dir, m.dir)
	c.goTo(m)
	c.equip()
	return m
}

// run runs a command that must succeed, and gives what it printed on standard output.
func (c *tale) run(name string, args ...string) string {
	c.t.Helper()
	out, complaint, err := c.tryInput(nil, name, args...)
	if err != nil {
		c.t.Fatalf("seed %d: %s %q: %v: %s\n%s", c.seed, name, args, err, complaint, strings.Join(c.ran, "\n"))
	}
	return out
}

func (c *tale) tryInput(stdin []byte, name string, args ...string) (out, complaint string, err error) {
	cmd := c.command(name, args...)
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

// files are those of the work tree, without the settings that init left there.
func (c *tale) files() []string {
	return slices.DeleteFunc(c.pastWorld.files(), func(path string) bool { return strings.HasPrefix(path, ".") })
}

// do is run for a command that changes something.
func (c *tale) do(name string, args ...string) string {
	c.t.Helper()
	if name == "git" && c.unheard {
		args = append([]string{"-c", "core.hooksPath=/dev/null"}, args...)
	}
	c.ran = append(c.ran, c.at.name+"$ "+name+" "+strings.Join(args, " "))
	return c.run(name, args...)
}
