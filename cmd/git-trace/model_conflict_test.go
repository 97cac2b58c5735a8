package main

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// carryOn brings an operation that stopped to its end, or leaves it as it is for the next step.
func (w *world) carryOn(rng *rand.Rand, dir string) {
	for range 12 {
		what := w.busy(dir)
		if what == "" || rng.IntN(6) == 0 {
			return
		}
		w.goOn(rng, dir, what)
	}
	if what := w.busy(dir); what != "" {
		w.leave(dir, what)
	}
}

// goOn takes one step of an operation under way.
func (w *world) goOn(rng *rand.Rand, dir, what string) {
	verb := verbOfBusy(what)
	if rng.IntN(14) == 0 {
		w.leave(dir, what)
		return
	}
	if rng.IntN(14) == 0 && verb != "merge" {
		w.git(dir, verb, "--skip")
		return
	}
	if !w.unmerged(dir) && what == "rebase-merge" && rng.IntN(2) == 0 {
		w.atStop(rng, dir)
	}
	w.resolve(rng, dir)
	if verb == "merge" {
		w.git(dir, "commit", "-q", "--no-edit")
		return
	}
	if !w.git(dir, verb, "--continue") && !w.unmerged(dir) {
		w.git(dir, verb, "--skip")
	}
}

// atStop is what people do when a rebase stops to let them edit a commit: amend it, or take it apart.
func (w *world) atStop(rng *rand.Rand, dir string) {
	kind := rng.IntN(4)
	if w.shell != "" {
		kind = 0
	}
	switch kind {
	case 0:
		w.git(dir, "reset", "-q", "HEAD^")
		if p, ok := w.pickPath(rng, dir); ok {
			w.git(dir, "add", p)
			w.git(dir, "commit", "-q", "-m", w.message())
		}
		w.git(dir, "add", "-A")
		w.git(dir, "commit", "-q", "-m", w.message())
	case 1:
		agentEdit(w, rng, dir)
		w.git(dir, "commit", "-q", "-a", "--amend", "--no-edit")
	case 2:
		humanEdit(w, rng, dir)
		w.git(dir, "commit", "-q", "-a", "--amend", "--no-edit")
	}
}

func verbOfBusy(what string) string {
	switch what {
	case "rebase-merge", "rebase-apply":
		return "rebase"
	case "cherry_pick":
		return "cherry-pick"
	}
	return what
}

func (w *world) leave(dir, what string) { w.git(dir, verbOfBusy(what), "--abort") }

func (w *world) unmerged(dir string) bool {
	out, _ := w.ask(dir, "ls-files", "-u")
	return out != ""
}

// resolve settles every conflict in one of many ways and stages the result.
func (w *world) resolve(rng *rand.Rand, dir string) {
	out, _ := w.ask(dir, "diff", "--name-only", "--diff-filter=U", "-z")
	for path := range strings.SplitSeq(out, "\x00") {
		if path != "" {
			w.resolveFile(rng, dir, path)
		}
	}
}

func (w *world) resolveFile(rng *rand.Rand, dir, path string) {
	lines, there := w.read(dir, path)
	marked := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "<<<<<<<") })
	if !there {
		w.git(dir, "rm", "-q", path)
		return
	}
	if !marked {
		if rng.IntN(2) == 0 || !w.git(dir, "rm", "-q", path) {
			w.git(dir, "add", path)
		}
		return
	}
	switch rng.IntN(5) {
	case 0:
		w.git(dir, "checkout", "-q", "--ours", path)
	case 1:
		w.git(dir, "checkout", "-q", "--theirs", path)
	case 2: // both sides
		w.settle(rng, dir, path, lines, func() bool { return true }, "")
	case 3: // a person takes some lines and writes others
		w.settle(rng, dir, path, lines, func() bool { return rng.IntN(4) > 0 }, byHuman)
	default: // an agent does
		w.settle(rng, dir, path, lines, func() bool { return rng.IntN(4) > 0 }, w.session(rng))
	}
	w.git(dir, "add", path)
}

// settle writes a file without its conflict markers: the lines between them that are taken and some new ones, in the
// name of whoever resolves.
func (w *world) settle(rng *rand.Rand, dir, path string, lines []string, take func() bool, who string) {
	var text []string
	var from []int
	inside := false
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "<<<<<<<"):
			inside = true
			continue
		case strings.HasPrefix(l, "=======") && inside, strings.HasPrefix(l, "|||||||") && inside:
			continue
		case strings.HasPrefix(l, ">>>>>>>") && inside:
			inside = false
			if who != "" && rng.IntN(2) == 0 {
				for _, fresh := range w.text(rng, 1+rng.IntN(3)) {
					text, from = append(text, fresh), append(from, -1)
				}
			}
			continue
		}
		if !inside || take() {
			text, from = append(text, l), append(from, i)
		}
	}
	switch {
	case w.shell != "":
		w.writeAs(dir, path, from, text, w.shell)
		w.put(dir, path)
	case who == "", who == byHuman:
		w.writeAs(dir, path, from, text, byHuman)
		w.put(dir, path)
	default:
		w.agentWrite(dir, who, path, from, text)
	}
}
