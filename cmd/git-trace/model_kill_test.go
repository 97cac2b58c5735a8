package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// killEnv makes a git-trace process of the model die on its way: it holds what decides when, the seed and the step.
const killEnv = "GITTRACE_MODEL_KILL"

// killLogEnv names the file in which is put down which processes died.
const killLogEnv = "GITTRACE_MODEL_KILL_LOG"

// maxChanges is about how many changes of files a hook makes, and maxMoment about how long it takes.
const (
	maxChanges = 64
	maxMoment  = 12 * time.Millisecond
)

// byMoment marks a kill that may strike elsewhere in the next run of the seed.
const byMoment = " after"

// dieEarly kills about every third process on its way: where system calls can be told, at one of them, the same in
// every run of a seed; elsewhere at a moment.
func dieEarly() {
	seed := os.Getenv(killEnv)
	if seed == "" {
		return
	}
	log, err := os.OpenFile(os.Getenv(killLogEnv), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	rng := killSource(seed)
	if rng.IntN(2) > 0 {
		return
	}
	dieAt(1+rng.IntN(1+rng.IntN(maxChanges)), log)
	go func() {
		after := time.Duration(rng.Int64N(int64(maxMoment)))
		time.Sleep(after)
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			fmt.Fprintln(log, strings.Join(os.Args[1:], " ")+byMoment, after)
			_ = self.Kill()
		}
	}()
}

// killSource is a source of numbers for the process: of the seed, what it does, and how many did the same in this step.
func killSource(seed string) *rand.Rand {
	hash := fnv.New64a()
	fmt.Fprint(hash, seed, os.Args[1:])
	name := fmt.Sprintf("%s-%x", os.Getenv(killLogEnv), hash.Sum64())
	before := int64(0)
	if f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		if info, err := f.Stat(); err == nil {
			before = info.Size()
		}
		_, _ = f.WriteString(".")
		_ = f.Close()
	}
	return rand.New(rand.NewPCG(hash.Sum64(), uint64(before)))
}

// killed are the environment variables of processes that may be killed.
func (w *world) killed() []string {
	if !w.profile.killed {
		return nil
	}
	return []string{fmt.Sprintf("%s=%d/%d", killEnv, w.seed, w.step), killLogEnv + "=" + w.killLog()}
}

func (w *world) killLog() string { return filepath.Join(w.root, "killed") }

// sayKilled puts the processes that were killed since the last look into the script.
func (w *world) sayKilled() {
	raw, err := os.ReadFile(w.killLog())
	if err != nil {
		return
	}
	w.must(os.Remove(w.killLog()))
	for line := range strings.Lines(string(raw)) {
		w.kills++
		w.byChance = w.byChance || strings.Contains(line, byMoment)
		w.say("# killed: " + strings.TrimSpace(line))
	}
}

// hookProcess sends a boundary through the hook process and reports whether it was heard, and whether that came to
// its end: a process that is killed before it has left a note of what it is about might as well not have been
// started.
func (w *world) hookProcess(dir, event string, payload []byte) (heard, done bool) {
	traces, _ := w.ask(dir, "rev-parse", "--absolute-git-dir")
	traces = filepath.Join(traces, "traces")
	notes := func() []string {
		names, _ := filepath.Glob(filepath.Join(traces, "spool", "*.begun"))
		return names
	}
	timeline, left := w.readIfThere(filepath.Join(traces, "timeline")), notes()
	cmd := exec.Command("git-trace", "hook", "claude-code", event)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, append(w.env(), w.killed()...), bytes.NewReader(payload)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if w.profile.killed && errors.As(err, &exit) && exit.ExitCode() < 0 {
		heard = slices.ContainsFunc(notes(), func(name string) bool { return !slices.Contains(left, name) }) ||
			!bytes.Equal(timeline, w.readIfThere(filepath.Join(traces, "timeline")))
		w.sayKilled()
		w.say(fmt.Sprintf("# %s heard: %v", event, heard))
		w.ledger.cut = true // what comes is compared with an older content than the model thinks
		return heard, false
	}
	if err != nil || len(out) > 0 {
		w.must(fmt.Errorf("hook %s: %w: %q", event, err, out))
	}
	return true, true
}

// readIfThere is the content of a file, nothing when it is not there.
func (w *world) readIfThere(name string) []byte {
	raw, err := os.ReadFile(name)
	if !errors.Is(err, os.ErrNotExist) {
		w.must(err)
	}
	return raw
}

// unheard is what was written since everything was looked at last, and by whom. Where a boundary was not heard
// meanwhile, any of the writers may be taken for the writer of any of it, and so may a person, and whose call has not
// ended.
type unheard struct {
	sessions map[string]bool // of the boundaries that were not heard and had no other since
	words    map[string]bool
	blocks   map[string]bool
	writers  map[string]bool
}

func newUnheard() unheard {
	return unheard{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{byHuman: true}}
}

// possible lists who may be taken for a writer.
func (u *unheard) possible() []string {
	return append(slices.Collect(maps.Keys(u.writers)), slices.Collect(maps.Keys(u.sessions))...)
}

// also lists who else may be taken for the writer of a unique line.
func (l *writers) also(word string) []string {
	if len(l.unheard.sessions) > 0 && l.unheard.words[word] {
		return append(l.unheard.possible(), l.doubted[word]...)
	}
	return l.doubted[word]
}

// inDoubt reports whether the owners of a block of common lines cannot be known.
func (l *writers) inDoubt(block string) bool {
	return l.runs[block][unsure] || (l.cut || len(l.unheard.sessions) > 0) && l.unheard.blocks[block]
}

// hear notes whether a boundary was heard, and whether everything is looked at in it.
func (w *world) hear(session string, heard, full bool) {
	l := w.ledger
	switch {
	case !w.profile.killed:
		return
	case !heard:
		l.unheard.sessions[session], l.cut = true, true
		return
	case !full:
		return
	}
	if l.cut {
		for key := range l.unheard.blocks {
			l.runs[key][unsure] = true
		}
	}
	if len(l.unheard.sessions) > 0 {
		for word := range l.unheard.words {
			l.doubted[word] = append(l.doubted[word], l.unheard.possible()...)
		}
	}
	delete(l.unheard.sessions, session)
	if len(l.unheard.sessions) == 0 {
		l.unheard, l.cut = newUnheard(), false
	}
}

// sound checks what a killed process must not break: the repository and the log.
func (w *world) sound(dir string) {
	if !w.profile.killed {
		return
	}
	out := w.run(dir, "git", "fsck", "--no-dangling", "--no-progress")
	if strings.Contains(out, "error") || strings.Contains(out, "missing") {
		w.must(fmt.Errorf("git fsck: %s", out))
	}
	if out := w.run(dir, "git-trace", "verify"); !strings.HasPrefix(out, "consistent") {
		w.must(fmt.Errorf("git trace verify: %s", out))
	}
}
