package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
)

// branches lists the local branches.
func (w *world) branches(dir string) []string {
	out, _ := w.ask(dir, "for-each-ref", "--format=%(refname:short)", "refs/heads/")
	return strings.Fields(out)
}

// otherBranch picks a branch that no work tree has checked out.
func (w *world) otherBranch(rng *rand.Rand, dir string) (string, bool) {
	taken, _ := w.ask(dir, "worktree", "list", "--porcelain")
	var free []string
	for _, b := range w.branches(dir) {
		if !strings.Contains(taken+"\n", "branch refs/heads/"+b+"\n") {
			free = append(free, b)
		}
	}
	if len(free) == 0 {
		return "", false
	}
	return free[rng.IntN(len(free))], true
}

// depth is the number of commits that the current branch has, merges counted once.
func (w *world) depth(dir string) int {
	out, _ := w.ask(dir, "rev-list", "--count", "--first-parent", "HEAD")
	n := 0
	_, _ = fmt.Sscan(out, &n)
	return n
}

// branchOff starts a branch, here or a few commits back.
func branchOff(w *world, rng *rand.Rand, dir string) bool {
	if len(w.branches(dir)) > 5 {
		return false
	}
	w.named++
	name := fmt.Sprintf("b%d-%d", w.step, w.named)
	if back := rng.IntN(min(4, w.depth(dir))); back > 0 && rng.IntN(2) == 0 {
		return w.git(dir, "switch", "-q", "-c", name, fmt.Sprintf("HEAD~%d", back))
	}
	return w.git(dir, "switch", "-q", "-c", name)
}

// switchTo goes to another branch, with or without what is not committed.
func switchTo(w *world, rng *rand.Rand, dir string) bool {
	b, ok := w.otherBranch(rng, dir)
	if !ok {
		return false
	}
	switch rng.IntN(6) {
	case 0:
		if len(w.shapedNow) > 0 { // of a conflict one side is in a form that nobody saw
			return false
		}
		return w.git(dir, "checkout", "-q", "-m", b)
	case 1:
		return w.git(dir, "switch", "-q", "--discard-changes", b)
	case 2:
		w.git(dir, "stash", "push", "-q", "-u")
		return w.git(dir, "checkout", "-q", b)
	default:
		return w.git(dir, "checkout", "-q", b)
	}
}

// settled clears the way for a command that needs a clean work tree.
func (w *world) settled(rng *rand.Rand, dir string) {
	if status, _ := w.ask(dir, "status", "--porcelain"); status == "" {
		return
	}
	switch rng.IntN(4) {
	case 0:
		w.git(dir, "stash", "push", "-q", "-u")
	case 1: // perhaps it works all the same
	default:
		w.git(dir, "add", "-A")
		w.git(dir, "commit", "-q", "-m", w.message())
	}
}

// mergeIn joins another branch to this one.
func mergeIn(w *world, rng *rand.Rand, dir string) bool {
	b, ok := w.otherBranch(rng, dir)
	if !ok {
		return false
	}
	w.settled(rng, dir)
	switch rng.IntN(8) {
	case 0:
		if !w.git(dir, "merge", "-q", "--squash", b) && w.unmerged(dir) {
			w.resolve(rng, dir)
		}
		w.git(dir, "commit", "-q", "-m", w.message())
		return true
	case 1:
		w.git(dir, "merge", "-q", "--no-edit", "-X", "ours", b)
	case 2:
		w.git(dir, "merge", "-q", "--no-edit", "-X", "theirs", b)
	case 3:
		w.git(dir, "merge", "-q", "--no-commit", "--no-ff", b)
	case 4:
		w.git(dir, "merge", "-q", "--no-ff", "-m", w.message(), b)
	default:
		w.git(dir, "merge", "-q", "--no-edit", b)
	}
	w.carryOn(rng, dir)
	return true
}

// pick applies commits of another branch here, or takes a commit of this one back.
func pick(w *world, rng *rand.Rand, dir string) bool {
	b, ok := w.otherBranch(rng, dir)
	if !ok {
		return false
	}
	w.settled(rng, dir)
	args := []string{"cherry-pick"}
	switch rng.IntN(6) {
	case 0:
		args = append(args, "-n")
	case 1:
		args = append(args, "-x")
	}
	if count := w.depth(dir); rng.IntN(3) == 0 && count > 2 {
		args = append(args, "--allow-empty", b+"~2.."+b)
	} else {
		args = append(args, b)
	}
	if !w.git(dir, args...) && args[1] == "-n" { // nothing tells afterwards that git was at work
		return w.git(dir, "reset", "-q", "--hard")
	}
	w.carryOn(rng, dir)
	return true
}

func revert(w *world, rng *rand.Rand, dir string) bool {
	n := rng.IntN(min(4, w.depth(dir)))
	w.settled(rng, dir)
	args := []string{"revert", "--no-edit", fmt.Sprintf("HEAD~%d", n)}
	if _, isMerge := w.ask(dir, "rev-parse", "-q", "--verify", fmt.Sprintf("HEAD~%d^2", n)); isMerge {
		args = append(args, "-m", "1")
	}
	w.git(dir, args...)
	w.carryOn(rng, dir)
	return true
}

// rebase moves this branch onto another one, or rearranges its last commits.
func rebase(w *world, rng *rand.Rand, dir string) bool {
	w.settled(rng, dir)
	b, ok := w.otherBranch(rng, dir)
	kind := rng.IntN(10)
	switch {
	case kind < 4 && ok:
		extra := [][]string{{}, {"--autostash"}, {"--apply"}, {"--rebase-merges"}, {"--force-rebase"}}[rng.IntN(5)]
		w.git(dir, append(append([]string{"rebase", "-q"}, extra...), b)...)
	case kind < 5 && ok && w.depth(dir) > 3:
		w.git(dir, "rebase", "-q", "--onto", b, "HEAD~2")
	case kind < 6 && w.depth(dir) > 2:
		w.git(dir, "rebase", "-q", "--root", "--force-rebase")
	default:
		n := w.depth(dir)
		if n < 4 {
			return false
		}
		w.rearrange(rng, dir, 2+rng.IntN(min(3, n-3)))
	}
	w.carryOn(rng, dir)
	return true
}

// rearrange is an interactive rebase of the last n commits whose list is shuffled and changed.
func (w *world) rearrange(rng *rand.Rand, dir string, n int) {
	order := make([]int, n)
	for i := range order {
		order[i] = i + 1
	}
	if rng.IntN(2) == 0 {
		i := rng.IntN(n - 1)
		order[i], order[i+1] = order[i+1], order[i]
	}
	var todo strings.Builder
	todo.WriteString("grep '^pick' \"$1\" >\"$1.list\"\n{\n")
	for i, at := range order {
		verb := "pick"
		switch k := rng.IntN(12); {
		case k < 2 && i > 0:
			verb = "squash"
		case k < 4 && i > 0:
			verb = "fixup"
		case k == 4:
			verb = "drop"
		case k == 5:
			verb = "edit"
		case k == 6:
			verb = "reword"
		}
		fmt.Fprintf(&todo, "sed -n %dp \"$1.list\" | sed s/^pick/%s/\n", at, verb)
	}
	todo.WriteString("} >\"$1\"\nrm \"$1.list\"\n")
	editor := "sh " + filepath.Join(w.root, w.keep(todo.String()))
	w.gitEnv(dir, []string{"GIT_SEQUENCE_EDITOR=" + editor}, "rebase", "-q", "-i", fmt.Sprintf("HEAD~%d", n))
}

// linkTree adds a work tree.
func linkTree(w *world, _ *rand.Rand, dir string) bool {
	if len(w.trees) > 2 {
		return false
	}
	w.named++
	name := fmt.Sprintf("w%d", w.step)
	place := filepath.Join(w.root, name)
	if !w.git(dir, "worktree", "add", "-q", "-b", "b"+name, place) {
		return false
	}
	w.trees = append(w.trees, place)
	return true
}

// collect lets git throw away what nothing refers to.
func collect(w *world, rng *rand.Rand, dir string) bool {
	if rng.IntN(2) == 0 {
		w.git(dir, "reflog", "expire", "--expire=now", "--all")
	}
	return w.git(dir, "gc", "-q", "--prune=now")
}
