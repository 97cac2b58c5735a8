// Command mutate reports whether tests notice faults in important code. It changes one place at a time, in the
// functions that decisions.txt lists, and runs the tests that reach the place. It lists the changes that no test
// noticed. docs/testing.md explains the output.
//
// All changes are compiled into the test programs at once, inactive (package active). So a mutant needs a run of tests,
// but no compilation. The files of the work tree do not change: the go command gets an overlay.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// options holds the options of the command line.
type options struct {
	packages, funcs, seed, dir, results, without string
	sample, jobs                                 int
	own, list, again, fresh                      bool
	budget                                       time.Duration
	bar                                          float64
}

// errUnder ends the program if too many mutants survive.
var errUnder = errors.New("too few mutants are noticed")

func main() {
	var o options
	flag.StringVar(&o.packages, "package", "", "only mutants of these packages, separated by commas")
	flag.StringVar(&o.funcs, "func", "", "only mutants whose key begins so, `PACKAGE.FUNCTION`")
	flag.IntVar(&o.sample, "sample", 0, "only so many mutants, chosen by the seed (0: all)")
	flag.StringVar(&o.seed, "seed", "1", "what the sample is chosen by: another seed, another sample")
	flag.BoolVar(&o.own, "own", false, "only run the tests of the mutant's own package")
	flag.StringVar(&o.without, "without", "", "leave out the tests of these packages, separated by commas")
	flag.BoolVar(&o.list, "list", false, "only list the mutants")
	flag.BoolVar(&o.again, "again", false, "judge those again that survived an earlier run")
	flag.BoolVar(&o.fresh, "fresh", false, "use no results of an earlier run")
	flag.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "mutants judged at once")
	flag.DurationVar(&o.budget, "budget", 2*time.Minute,
		"tests for one mutant, by the processor time that they take without one")
	flag.Float64Var(&o.bar, "bar", 85, "fail when fewer of 100 are killed")
	flag.StringVar(&o.dir, "dir", filepath.Join(os.TempDir(), "git-trace-mutate"),
		"where programs and what was reached are kept")
	flag.StringVar(&o.results, "results", "", "file of results, which a later run goes on from (default: in -dir)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutate: error: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	list, err := readDecisions(decisionText)
	if err != nil {
		return err
	}
	accepted, err := readAccepted(acceptedText)
	if err != nil {
		return err
	}
	w, err := survey(root, list, func(pkg string) bool {
		return o.packages == "" || slices.Contains(strings.Split(o.packages, ","), pkg)
	})
	if err != nil {
		return err
	}
	if o.list {
		for _, m := range choose(w.mutants, o) {
			fmt.Printf("%s:%d\t%s\n", m.file, m.line, m.key)
		}
		return nil
	}
	if o.results == "" {
		o.results = filepath.Join(o.dir, "results.json")
	}
	w.dir = o.dir
	for _, dir := range []string{"work", "programs", "reached"} {
		if err := os.MkdirAll(filepath.Join(w.dir, dir), 0o755); err != nil {
			return err
		}
	}
	tests, err := w.prepare(ctx, o)
	if err != nil {
		return err
	}
	verdicts, err := w.judgeAll(ctx, o, choose(w.mutants, o), tests)
	if err != nil {
		return err
	}
	for _, m := range w.broken {
		say("does not compile, left out: " + m.key)
	}
	ratio := report(os.Stdout, verdicts, accepted)
	if ratio < o.bar {
		return fmt.Errorf("%w: %.1f of 100, and %.1f are wanted", errUnder, ratio, o.bar)
	}
	return nil
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("not inside the module")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

func say(line string) { fmt.Fprintln(os.Stderr, line) }

// choose selects the sample. The position of a mutant depends only on its key and the seed. So the sample stays the
// same when other code changes.
func choose(all []*mutant, o options) []*mutant {
	out := slices.DeleteFunc(slices.Clone(all), func(m *mutant) bool { return !strings.HasPrefix(m.key, o.funcs) })
	if o.sample == 0 {
		return out
	}
	slices.SortStableFunc(out, func(a, b *mutant) int {
		x, y := place(o.seed, a.key), place(o.seed, b.key)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return out[:min(o.sample, len(out))]
}

func place(seed, key string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(seed + "\x00" + key))
	x := h.Sum64() // the last bytes of a key hardly change the first bits of the sum
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// prepare builds the test programs, and returns the tests that reach each mutant.
func (w *world) prepare(ctx context.Context, o options) (map[int32][]*unit, error) {
	var mutated []string
	for _, m := range w.mutants {
		if !slices.Contains(mutated, m.pkg) {
			mutated = append(mutated, m.pkg)
		}
	}
	overlay, err := w.compile(ctx, mutated)
	if err != nil {
		return nil, err
	}
	packages := mutated
	if !o.own {
		if packages, err = testPackages(w.root, mutated); err != nil {
			return nil, err
		}
	}
	packages = slices.DeleteFunc(packages, func(pkg string) bool {
		return slices.Contains(strings.Split(o.without, ","),
			pkg)
	})
	say(fmt.Sprintf("%d mutants, %d packages of tests", len(w.mutants), len(packages)))
	tests := map[int32][]*unit{}
	for _, pkg := range packages {
		say("build " + pkg)
		if err := w.link(ctx, overlay, pkg); err != nil {
			return nil, err
		}
		if _, err := os.Stat(w.programs[pkg]); err != nil {
			continue // the package has no tests
		}
		units, err := w.measure(ctx, pkg, o.jobs, say)
		if err != nil {
			return nil, err
		}
		for _, u := range units {
			if u.Failed != "" {
				say("not used: " + pkg + " " + u.Name + " " + u.Failed)
				continue
			}
			for _, id := range u.Reaches {
				tests[id] = append(tests[id], u)
			}
		}
	}
	return tests, nil
}

// judgeAll judges the mutants, several at a time, and saves the results after each.
func (w *world) judgeAll(ctx context.Context, o options, mutants []*mutant, tests map[int32][]*unit) ([]verdict,
	error) {
	known := map[string]verdict{}
	if data, err := os.ReadFile(o.results); err == nil && !o.fresh {
		var old []verdict
		if err := json.Unmarshal(data, &old); err != nil {
			return nil, fmt.Errorf("%s: %w", o.results, err)
		}
		for _, v := range old {
			known[v.Key] = v
		}
	}
	var out []verdict
	var lock sync.Mutex
	var problem error
	var wait sync.WaitGroup
	slots := make(chan struct{}, o.jobs)
	done := 0
	for _, m := range mutants {
		if v, ok := known[m.key]; ok && (v.Status == killed || !o.again) {
			v.File, v.Line, v.Package = m.file, m.line, m.pkg
			lock.Lock()
			out = append(out, v)
			lock.Unlock()
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			v, err := w.judge(ctx, m, tests[m.id], o.budget)
			lock.Lock()
			defer lock.Unlock()
			if err != nil {
				problem = err
				return
			}
			done++
			known[v.Key] = v
			out = append(out, v)
			say(fmt.Sprintf("%d %s %.0fs %s:%d %s [%s]", done, v.Status, v.Seconds, m.file, m.line, m.key, v.By))
			if err := keepJSON(o.results, sorted(known)); err != nil {
				problem = err
			}
		})
		lock.Lock()
		stop := problem != nil
		lock.Unlock()
		if stop {
			break
		}
	}
	wait.Wait()
	return out, problem
}

func sorted(known map[string]verdict) []verdict {
	out := make([]verdict, 0, len(known))
	for _, v := range known {
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b verdict) int { return strings.Compare(a.Key, b.Key) })
	return out
}
