package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// reset moves the branch, and more or less of the rest with it.
func reset(w *world, rng *rand.Rand, dir string) bool {
	if w.busy(dir) != "" || w.depth(dir) < 3 || w.movedAndEdited(dir) {
		return false
	}
	to := fmt.Sprintf("HEAD~%d", rng.IntN(min(3, w.depth(dir)-1)))
	if _, there := w.ask(dir, "rev-parse", "-q", "--verify", "ORIG_HEAD"); there && rng.IntN(5) == 0 {
		to = "ORIG_HEAD"
	}
	modes := []string{"--soft", "--soft", "--mixed", "--mixed", "--hard", "--keep", "--merge"}
	return w.git(dir, "reset", "-q", modes[rng.IntN(len(modes))], to)
}

// restorePath brings one file, or everything, back from the index or from a commit.
func restorePath(w *world, rng *rand.Rand, dir string) bool {
	p, ok := w.pickPath(rng, dir)
	if !ok || w.movedAndEdited(dir) {
		return false
	}
	rev := fmt.Sprintf("HEAD~%d", rng.IntN(min(4, w.depth(dir))))
	kind := rng.IntN(6)
	if kind == 1 || kind == 2 {
		w.quiet = false // only the hook tells what git wrote from what is typed anew
	}
	switch kind {
	case 0:
		return w.git(dir, "checkout", "-q", "--", p)
	case 1:
		return w.git(dir, "checkout", "-q", rev, "--", p)
	case 2:
		return w.git(dir, "restore", "--source", rev, "--", p)
	case 3:
		return w.git(dir, "restore", "--staged", "--", p)
	case 4:
		return w.git(dir, "reset", "-q", rev, "--", p)
	default:
		return w.git(dir, "restore", ".")
	}
}

// movedAndEdited reports whether a file of a work tree got a new name and another form before anybody looked. When
// git brings the old one back, the new one is a copy to all that is seen.
func (w *world) movedAndEdited(dir string) bool {
	for key := range w.renamed {
		if _, edited := w.unseen[key]; edited && strings.HasPrefix(key, dir+"\x00") {
			return true
		}
	}
	return false
}

// stashAway puts what is not committed aside.
func stashAway(w *world, rng *rand.Rand, dir string) bool {
	args := []string{"stash", "push", "-q"}
	switch rng.IntN(6) {
	case 0:
		args = append(args, "-u")
	case 1:
		args = append(args, "--keep-index")
	case 2:
		if p, ok := w.pickPath(rng, dir); ok {
			args = append(args, "--", p)
		}
	}
	return w.git(dir, args...)
}

// stashBack brings it back: here, or on a branch of its own.
func stashBack(w *world, rng *rand.Rand, dir string) bool {
	if _, there := w.ask(dir, "rev-parse", "-q", "--verify", "refs/stash"); !there || w.busy(dir) != "" {
		return false
	}
	switch rng.IntN(8) {
	case 0:
		w.git(dir, "stash", "apply", "-q")
	case 1:
		w.git(dir, "stash", "pop", "-q", "--index")
	case 2:
		w.named++
		w.git(dir, "stash", "branch", fmt.Sprintf("b%d-%d", w.step, w.named))
	case 3:
		w.git(dir, "stash", "drop", "-q")
	default:
		w.git(dir, "stash", "pop", "-q")
	}
	if w.unmerged(dir) {
		w.resolve(rng, dir)
		w.git(dir, "stash", "drop", "-q")
	}
	return true
}

// inAgentShell lets an agent's shell call do what a person would do at the prompt.
func inAgentShell(act func(w *world, rng *rand.Rand, dir string) bool) func(w *world, rng *rand.Rand, dir string) bool {
	return func(w *world, rng *rand.Rand, dir string) bool {
		done := false
		w.shell = w.session(rng)
		w.agentShell(dir, w.shell, func() { done = act(w, rng, dir) })
		w.shell = ""
		return done
	}
}
