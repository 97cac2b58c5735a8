package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// unit is a test or a script, with measurements.
type unit struct {
	Package string        `json:"package"`
	Name    string        `json:"name"`
	Took    time.Duration `json:"took"`
	Failed  string        `json:"failed,omitempty"` // the reason why it cannot be used
	Reaches []int32       `json:"reaches"`
}

// scriptTest is the test whose scripts count separately: each script in scriptDir is a unit.
const (
	scriptPackage = "cmd/git-trace"
	scriptTest    = "TestScripts"
	scriptDir     = "testdata/script"
)

// Limits for a test that runs for single mutants: processor time, which does not depend on the load of the machine, and
// elapsed time.
const (
	tooLong = 2 * time.Minute
	byClock = 15 * time.Minute
)

// testPackages returns the packages with tests whose programs contain one of the mutated packages.
func testPackages(root string, mutated []string) ([]string, error) {
	all, err := goList(root, "-deps", "-test", "./...")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, one := range all {
		name, isTest := strings.CutSuffix(one.ImportPath, ".test")
		pkg, ours := strings.CutPrefix(name, module+"/")
		if !isTest || !ours || strings.HasPrefix(pkg, "internal/testing/mutate") {
			continue
		}
		if slices.ContainsFunc(one.Deps, func(dep string) bool {
			dep, _, _ = strings.Cut(dep, " ")
			dep, ours := strings.CutPrefix(dep, module+"/")
			return ours && slices.Contains(mutated, dep)
		}) {
			out = append(out, pkg)
		}
	}
	slices.Sort(out)
	return out, nil
}

// units lists the tests of a package.
func (w *world) units(ctx context.Context, pkg string) ([]*unit, error) {
	cmd := exec.CommandContext(ctx, w.programs[pkg], "-test.list", "^Test")
	cmd.Dir = filepath.Join(w.root, filepath.FromSlash(pkg))
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the tests of %s: %w", pkg, err)
	}
	var all []*unit
	for _, name := range strings.Fields(string(out)) {
		if !strings.HasPrefix(name, "Test") {
			continue
		}
		if pkg == scriptPackage && strings.HasPrefix(name, scriptTest) {
			if name != scriptTest { // its variants reach the same code
				continue
			}
			scripts, err := filepath.Glob(filepath.Join(w.root, filepath.FromSlash(scriptDir), "*.txtar"))
			if err != nil {
				return nil, err
			}
			for _, script := range scripts {
				all = append(all, &unit{Package: pkg, Name: name + "/" + strings.TrimSuffix(filepath.Base(script), ".txtar")})
			}
			continue
		}
		all = append(all, &unit{Package: pkg, Name: name})
	}
	return all, nil
}

// `measure` runs every test of a package once without a mutant, and records the mutants that each test reaches. For an
// unchanged program it reuses earlier measurements.
func (w *world) measure(ctx context.Context, pkg string, jobs int, say func(string)) ([]*unit, error) {
	program, err := os.ReadFile(w.programs[pkg])
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(program)
	kept := filepath.Join(w.dir, "reached", strings.ReplaceAll(pkg, "/", "_")+"-"+hex.EncodeToString(sum[:8])+".json")
	known := map[string]*unit{}
	var old []*unit
	if data, err := os.ReadFile(kept); err == nil && json.Unmarshal(data, &old) == nil {
		for _, u := range old {
			known[u.Name] = u
		}
	}
	if !bytes.Contains(program, []byte("git-trace-mutant")) { // the program contains no mutants
		return nil, nil
	}
	all, err := w.units(ctx, pkg)
	if err != nil {
		return nil, err
	}
	var wait sync.WaitGroup
	var lock sync.Mutex
	slots := make(chan struct{}, jobs)
	problems := make([]error, len(all))
	for i, u := range all {
		if old := known[u.Name]; old != nil {
			all[i] = old
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			problems[i] = w.measureOne(ctx, u)
			lock.Lock()
			defer lock.Unlock()
			say(fmt.Sprintf("%s %s %.1fs %s", pkg, u.Name, u.Took.Seconds(), u.Failed))
			if known[u.Name] = u; problems[i] == nil {
				problems[i] = keepJSON(kept, slices.Collect(maps.Values(known)))
			}
		})
	}
	wait.Wait()
	for _, err := range problems {
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (w *world) measureOne(ctx context.Context, u *unit) error {
	place, err := os.MkdirTemp(filepath.Join(w.dir, "work"), "m")
	if err != nil {
		return err
	}
	defer takeAway(place)
	record := filepath.Join(place, "r")
	size := len(w.mutants) + 1
	if err := os.WriteFile(record, make([]byte, size), 0o666); err != nil {
		return err
	}
	program := filepath.Join(place, filepath.Base(w.programs[u.Package]))
	if err := awaken(w.programs[u.Package], program, int32(size), record); err != nil {
		return err
	}
	result := runTests(ctx, w.root, place, program, u.Package, []*unit{u}, tooLong)
	u.Took = result.took
	if result.outcome != passed {
		u.Failed = result.outcome.String() + " without a mutant: " + result.failed
		return ctx.Err()
	}
	data, err := os.ReadFile(record)
	if err != nil {
		return err
	}
	for id, reached := range data {
		if reached != 0 && id > 0 {
			u.Reaches = append(u.Reaches, int32(id))
		}
	}
	return nil
}

// outcome is the result of a run of tests.
type outcome int

const (
	passed outcome = iota
	failed
	timedOut
)

func (o outcome) String() string { return [...]string{"passed", "failed", "timed out"}[o] }

type result struct {
	outcome outcome
	failed  string        // the failed test; the innermost of nested tests
	took    time.Duration // processor time, with that of child processes
}

var failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// runTests runs tests of one package: either top-level tests, or scripts. The parameter `limit` is the processor time
// of each process. A mutant that only waits, for example for a writer of a pipe, ends after eight times as long.
func runTests(ctx context.Context, root, place, program, pkg string, units []*unit, limit time.Duration) result {
	ctx, cancel := context.WithTimeout(ctx, min(byClock, 8*limit))
	defer cancel()
	temp := filepath.Join(place, "t")
	if err := os.MkdirAll(temp, 0o755); err != nil {
		return result{outcome: failed, failed: err.Error()}
	}
	// A mutant that allocates without end must not harm the machine.
	cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -v 8000000; ulimit -t "$1"; shift; exec "$0" "$@"`, program,
		strconv.Itoa(1+int(limit.Seconds())), "-test.run", pattern(units), "-test.failfast", "-test.count=1", "-test.timeout",
		byClock.String())
	cmd.Dir = filepath.Join(root, filepath.FromSlash(pkg))
	cmd.Env = append(os.Environ(), "TMPDIR="+temp, "GITTRACE_LONG=", "CI=")
	inGroup(cmd)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	killLeft(place)
	r := result{}
	if p := cmd.ProcessState; p != nil {
		r.took = p.UserTime() + p.SystemTime()
	}
	if ctx.Err() != nil || r.took > limit {
		r.outcome, r.failed = timedOut, units[0].Name
		return r
	}
	if err != nil {
		r.outcome = failed
		if m := failedTest.FindAllSubmatch(said.Bytes(), -1); m != nil {
			r.failed = string(m[len(m)-1][1])
		} else {
			r.failed = "a crash"
		}
	}
	return r
}

func pattern(units []*unit) string {
	var names []string
	prefix := ""
	for _, u := range units {
		top, part, isScript := strings.Cut(u.Name, "/")
		if isScript {
			prefix, top = "^"+top+"$/", part
		}
		names = append(names, regexp.QuoteMeta(top))
	}
	return prefix + "^(" + strings.Join(names, "|") + ")$"
}

// takeAway removes the files of a run, including read-only ones.
func takeAway(place string) {
	if os.RemoveAll(place) == nil {
		return
	}
	_ = filepath.WalkDir(place, func(path string, d os.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(place)
}

func keepJSON(path string, value any) error {
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// killLeft ends the processes whose program is below a directory, such as processes that a test's hooks left. Without
// /proc it does nothing.
func killLeft(dir string) {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return
	}
	for _, link := range links {
		program, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(program, dir+string(filepath.Separator)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill()
		}
	}
}
