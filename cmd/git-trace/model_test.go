package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// profile says what may happen in a run.
type profile struct {
	name    string
	rewrite bool // git's commands that make commits anew or put other contents into the work tree
	unseen  bool // commands with git's hooks switched off, commits made by plumbing
	linked  bool // several work trees
	process bool // agents' boundaries go through the hook process
	killed  bool // hook processes are killed at any moment
	shaped  bool // formatters, undo, a hook manager
	living  bool // agents are processes with session files that grow, and hooks may not tell of all their calls
}

var profiles = []profile{
	{name: "edits"},
	{name: "rewrites", rewrite: true},
	{name: "unseen", rewrite: true, unseen: true},
	{name: "linked", rewrite: true, linked: true},
	{name: "linked-unseen", rewrite: true, unseen: true, linked: true},
	{name: "process", rewrite: true, process: true},
	{name: "killed", rewrite: true, process: true, killed: true},
	{name: "shaped", rewrite: true, shaped: true},
	{name: "living", rewrite: true, shaped: true, living: true},
}

// grave tells whether a wrong answer makes a run fail. Where hooks are switched off nobody hears that git was at work,
// and between a person's line and one that nobody knows anything of there is often no evidence: what counts there is
// that no agent's line is lost or given to somebody else, and that no agent is given one. Where hook processes are
// killed an answer may be that nothing is known; it may not be somebody else.
func (p profile) grave(f wrongLine) bool {
	if p.killed {
		return f.class == wrongConversation || f.class == wrongAI || f.class == lostAI
	}
	return !p.unseen || f.class != lostHuman && f.class != wrongHuman
}

// operation is something that may happen. It answers false when it could not.
type operation struct {
	name   string
	weight int
	when   func(profile) bool
	act    func(w *world, rng *rand.Rand, dir string) bool
	git    bool // a command that an agent may give as well as a person
}

func always(profile) bool       { return true }
func rewrites(p profile) bool   { return p.rewrite }
func hooksOff(p profile) bool   { return p.unseen }
func linkedTree(p profile) bool { return p.linked }
func reshapes(p profile) bool   { return p.shaped }
func untells(p profile) bool    { return p.living }

var operations = []operation{
	{"agent edits", 22, always, agentEdit, false},
	{"agent writes a new file", 4, always, agentNew, false},
	{"agent runs a script", 5, always, agentScript, false},
	{"agent's turn", 4, always, agentTurn, false},
	{"person edits", 14, always, humanEdit, false},
	{"person writes a new file", 3, always, humanNew, false},
	{"block moved", 4, always, moveBlock, false},
	{"white space changed", 4, always, respace, false},
	{"renamed", 4, always, rename, false},
	{"removed", 3, always, remove, false},
	{"staged", 4, always, stage, false},
	{"commit", 14, always, commitAll, true},
	{"commit of a path", 5, always, commitPath, true},
	{"commit of a part", 8, always, commitPart, true},
	{"amend", 6, rewrites, amend, true},
	{"branch", 5, rewrites, branchOff, true},
	{"switch", 8, rewrites, switchTo, true},
	{"merge", 6, rewrites, mergeIn, true},
	{"cherry-pick", 5, rewrites, pick, true},
	{"revert", 4, rewrites, revert, true},
	{"rebase", 8, rewrites, rebase, true},
	{"reset", 6, rewrites, reset, true},
	{"restore", 5, rewrites, restorePath, true},
	{"stash", 5, rewrites, stashAway, true},
	{"stash back", 6, rewrites, stashBack, true},
	{"gc", 1, rewrites, collect, false},
	{"work tree added", 4, linkedTree, linkTree, false},
	{"commit by plumbing", 4, hooksOff, commitPlumbing, false},
	{"formatted", 10, reshapes, format, false},
	{"undone", 8, reshapes, undo, false},
	{"commit under a hook manager", 12, reshapes, commitManaged, true},
	{"told by a session file alone", 14, untells, untold, false},
}

// outcome is what a run found.
type outcome struct {
	seed     uint64
	profile  profile
	steps    int
	findings []wrongLine
	err      error
	world    *world
	names    []string
}

// runModel plays the operations of a seed. Each step draws from its own source, so that leaving steps out (keep) leaves
// the others much as they were. It stops at the first wrongLine when asked to.
func runModel(root string, seed uint64, p profile, steps int, keep func(int) bool, fatal func(wrongLine) bool) (o outcome) {
	o = outcome{seed: seed, profile: p}
	w := newWorld(root, p)
	w.seed, o.world = seed, w
	defer func() {
		if r := recover(); r != nil {
			broke, ok := r.(failed)
			if !ok {
				panic(fmt.Sprintf("seed %d step %d: %v\n%s", seed, w.step, r, strings.Join(w.script, "\n")))
			}
			o.err = broke.err
		}
	}()
	defer w.endAgents()
	w.begin(rand.New(rand.NewPCG(seed, 0)))
	for w.step = 1; w.step <= steps; w.step++ {
		if !keep(w.step) {
			continue
		}
		w.written, w.named = 0, 0
		rng := rand.New(rand.NewPCG(seed, uint64(w.step)))
		dir := w.trees[rng.IntN(len(w.trees))]
		name := w.act(rng, dir)
		o.names = append(o.names, fmt.Sprintf("%d %s", w.step, name))
		o.steps++
		found := w.check(dir, "")
		o.findings = append(o.findings, found...)
		if slices.ContainsFunc(found, fatal) {
			return o
		}
	}
	for _, dir := range w.trees {
		o.findings = append(o.findings, w.check(dir, "")...)
	}
	w.sound(w.trees[0])
	return o
}

// act chooses what happens and lets it happen.
func (w *world) act(rng *rand.Rand, dir string) string {
	if w.profile.rewrite && rng.IntN(10) < 6 && w.busy(dir) != "" {
		w.say(fmt.Sprintf("\n# %d: going on", w.step))
		w.carryOn(rng, dir)
		return "going on"
	}
	list, total := operations, 0
	for _, op := range list {
		if op.when(w.profile) {
			total += op.weight
		}
	}
	for range 12 {
		n := rng.IntN(total)
		for _, op := range list {
			if !op.when(w.profile) {
				continue
			}
			if n -= op.weight; n >= 0 {
				continue
			}
			w.say(fmt.Sprintf("\n# %d: %s", w.step, op.name))
			w.quiet = w.profile.unseen && rng.IntN(4) == 0
			act := op.act
			if op.git && rng.IntN(5) == 0 {
				act = inAgentShell(act)
			}
			done := act(w, rng, dir)
			w.quiet = false
			if done {
				return op.name
			}
			break
		}
	}
	return "nothing"
}

// number reads a number from the environment.
func number(name string, preset int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return preset
}

// TestModel plays random operations on repositories and compares the blame of every file with a model that knows the
// owner of every line. docs/testing.md says how to run it for longer and how to read a failure.
func TestModel(t *testing.T) {
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	first, count := number("GITTRACE_MODEL_SEED", 1), number("GITTRACE_MODEL_SEEDS", testenv.Pick(4, 10, 20))
	steps := number("GITTRACE_MODEL_STEPS", 40)
	limit := time.Duration(number("GITTRACE_MODEL_SECONDS", 0)) * time.Second
	choose := slices.Clone(profiles)
	if name := os.Getenv("GITTRACE_MODEL_PROFILE"); name != "" {
		choose = slices.DeleteFunc(slices.Clone(profiles), func(p profile) bool { return p.name != name })
	}
	start := time.Now()
	seeds := make(chan uint64)
	results := make(chan outcome)
	var workers sync.WaitGroup
	for range number("GITTRACE_MODEL_WORKERS", runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for seed := range seeds {
				p := choose[int(seed)%len(choose)]
				results <- playSeed(t, seed, p, steps)
			}
		})
	}
	go func() {
		for seed := first; (seed < first+count || limit > 0) && (limit == 0 || time.Since(start) < limit); seed++ {
			seeds <- uint64(seed)
		}
		close(seeds)
		workers.Wait()
		close(results)
	}()
	tally := map[string]int{}
	runs, done, kills, lines := 0, 0, 0, 0
	for o := range results {
		runs, done, kills, lines = runs+1, done+o.steps, kills+o.world.kills, lines+o.world.judged
		reportRun(t, o, tally)
	}
	t.Logf("%d runs, %d operations, %d lines judged, %d processes killed, %s: %v", runs, done, lines, kills,
		time.Since(start).Round(time.Second), tally)
}

// playSeed runs one seed in a directory of its own.
func playSeed(t *testing.T, seed uint64, p profile, steps int) outcome {
	keep := func(int) bool { return true }
	if only := os.Getenv("GITTRACE_MODEL_KEEP"); only != "" {
		keep = func(n int) bool { return slices.Contains(strings.Split(only, ","), strconv.Itoa(n)) }
	}
	o := inScratch(t, seed, p, steps, keep)
	if os.Getenv("GITTRACE_MODEL_MINIMISE") != "" && len(o.findings) > 0 {
		o = minimise(t, o, steps)
	}
	return o
}

func inScratch(t *testing.T, seed uint64, p profile, steps int, keep func(int) bool) outcome {
	root, err := os.MkdirTemp("", fmt.Sprintf("model-%d-", seed))
	if err != nil {
		return outcome{seed: seed, profile: p, err: err}
	}
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved
	}
	if os.Getenv("GITTRACE_MODEL_LEAVE") == "" {
		defer os.RemoveAll(root)
	} else {
		t.Logf("seed %d in %s", seed, root)
	}
	return runModel(root, seed, p, steps, keep, p.grave)
}

// minimise leaves out steps as long as the same kind of wrongLine is left.
func minimise(t *testing.T, o outcome, steps int) outcome {
	worst := slices.MinFunc(o.findings, func(a, b wrongLine) int {
		return slices.Index(classes, a.class) - slices.Index(classes, b.class)
	})
	class, last := worst.class, worst.step
	var kept []int
	for n := 1; n <= min(steps, last); n++ {
		kept = append(kept, n)
	}
	for size := max(1, len(kept)/2); size >= 1; size /= 2 {
		for at := 0; at < len(kept); {
			fewer := slices.Concat(kept[:at], kept[min(at+size, len(kept)):])
			try := inScratch(t, o.seed, o.profile, last, func(n int) bool { return slices.Contains(fewer, n) })
			if try.err == nil && slices.ContainsFunc(try.findings, func(f wrongLine) bool { return f.class == class }) {
				o, kept = try, fewer
			} else {
				at += size
			}
		}
	}
	return o
}

// playedAlone tells whether a profile is run alone. What cannot be seen again counts only then.
func playedAlone(p profile) bool { return os.Getenv("GITTRACE_MODEL_PROFILE") == p.name }

// reportRun prints what a run found, with everything that is needed to see it again.
func reportRun(t *testing.T, o outcome, tally map[string]int) {
	if o.err != nil {
		t.Errorf("seed %d (%s): %v\n%s", o.seed, o.profile.name, o.err, strings.Join(o.world.script, "\n"))
		return
	}
	grave := false
	seen := map[string]bool{}
	var lines []string
	for _, f := range o.findings {
		key := f.class + f.tree + f.path + f.text
		if seen[key] {
			continue
		}
		seen[key] = true
		tally[f.class]++
		grave = grave || o.profile.grave(f) && (!o.world.byChance || playedAlone(o.profile))
		lines = append(lines, f.String())
	}
	report := t.Errorf
	switch {
	case grave:
	case len(lines) > 0 && os.Getenv("GITTRACE_MODEL_MINIMISE") != "":
		report = t.Logf
	default:
		if len(lines) > 0 {
			t.Logf("seed %d (%s), no failure:\n%s", o.seed, o.profile.name, strings.Join(lines, "\n"))
		}
		return
	}
	report("seed %d (%s):\n%s\n\n%s\n\n%s", o.seed, o.profile.name, strings.Join(lines, "\n"),
		strings.Join(o.names, ", "), o.world.archive())
}

// archive is the run as a script for testdata/script, with the files that it or another file of it names.
func (w *world) archive() string {
	var b strings.Builder
	b.WriteString(strings.Join(w.script, "\n"))
	b.WriteString("\n")
	told := map[string]bool{}
	for before := -1; before < len(told); {
		before = len(told)
		for _, name := range slices.Sorted(maps.Keys(w.files)) {
			if !told[name] && strings.Contains(b.String(), name) {
				told[name] = true
				fmt.Fprintf(&b, "-- %s --\n%s", name, w.files[name])
			}
		}
	}
	return b.String()
}
