package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// message is a commit message like no other.
func (w *world) message() string {
	w.named++
	return fmt.Sprintf("step %d.%d", w.step, w.named)
}

// commitAll: git add -A and commit.
func commitAll(w *world, rng *rand.Rand, dir string) bool {
	if rng.IntN(3) == 0 {
		return w.git(dir, "commit", "-q", "-a", "-m", w.message())
	}
	w.git(dir, "add", "-A")
	return w.git(dir, "commit", "-q", "-m", w.message())
}

// commitPath: a commit of one path, whatever else is staged.
func commitPath(w *world, rng *rand.Rand, dir string) bool {
	p, ok := w.pickPath(rng, dir)
	if !ok {
		return false
	}
	w.git(dir, "add", "-N", p)
	return w.git(dir, "commit", "-q", "-m", w.message(), "--", p)
}

// stage puts a file into the index as it is, and changes nothing else.
func stage(w *world, rng *rand.Rand, dir string) bool {
	p, ok := w.pickPath(rng, dir)
	return ok && w.git(dir, "add", p)
}

// commitPart: some of the changes of a file are staged and committed.
func commitPart(w *world, rng *rand.Rand, dir string) bool {
	if !w.stagePart(rng, dir) {
		return false
	}
	return w.git(dir, "commit", "-q", "-m", w.message())
}

// stagePart stages some of the hunks between the index and the work tree.
func (w *world) stagePart(rng *rand.Rand, dir string) bool {
	p, ok := w.pickPath(rng, dir)
	if !ok {
		return false
	}
	now, _ := w.read(dir, p)
	was, _ := w.blob(dir, ":"+p)
	hunks := diffHunks(was, now)
	if len(hunks) == 0 || len(hunks) == 1 && hunks[0].b-hunks[0].a < 2 {
		return false
	}
	if len(hunks) == 1 { // the first lines of a hunk, as git add -e would stage them
		h := hunks[0]
		cut := h.a + 1 + rng.IntN(h.b-h.a-1)
		for splits(now, cut) {
			cut++
		}
		hunks = []hunk{{h.i, h.i, h.a, cut}}
	}
	var text []string
	at := 0
	for k, h := range hunks {
		if len(hunks) > 1 && (rng.IntN(2) == 0 && k > 0) {
			continue
		}
		text = append(text, was[at:h.i]...)
		text = append(text, now[h.a:h.b]...)
		at = h.j
	}
	text = append(text, was[at:]...)
	if len(text) == 0 {
		return false
	}
	name := w.keep(joinLines(text))
	w.enter(dir)
	script := fmt.Sprintf("git update-index --add --cacheinfo 100644,$(git hash-object -w $WORK/%s),%s", name, p)
	w.run(dir, "sh", "-c", script)
	w.say("exec sh -c " + quoteWord(script))
	return true
}

// diffHunks compares two texts line by line, by the longest common subsequence.
func diffHunks(old, now []string) []hunk {
	n, m := len(old), len(now)
	length := make([][]int, n+1)
	for i := range length {
		length[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if old[i] == now[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	from := make([]int, m)
	i := 0
	for j := range now {
		from[j] = -1
		for i < n && old[i] != now[j] && length[i+1][j] >= length[i][j+1] {
			i++
		}
		if i < n && old[i] == now[j] {
			from[j] = i
			i++
		}
	}
	return hunksOf(n, from)
}

// amend: the last commit is made anew, with what is staged, with everything, or with another message only.
func amend(w *world, rng *rand.Rand, dir string) bool {
	switch rng.IntN(4) {
	case 0:
		return w.git(dir, "commit", "-q", "--amend", "--only", "-m", w.message())
	case 1:
		return w.git(dir, "commit", "-q", "--amend", "-m", w.message())
	case 2:
		w.stagePart(rng, dir)
		return w.git(dir, "commit", "-q", "--amend", "--no-edit")
	default:
		w.git(dir, "add", "-A")
		return w.git(dir, "commit", "-q", "--amend", "--no-edit")
	}
}

// commitPlumbing makes a commit as other tools do: without git commit, and so without any hook.
func commitPlumbing(w *world, _ *rand.Rand, dir string) bool {
	if _, born := w.ask(dir, "rev-parse", "-q", "--verify", "HEAD"); !born || w.busy(dir) != "" {
		return false
	}
	w.git(dir, "add", "-A")
	script := "git update-ref HEAD $(git commit-tree -p HEAD -m '" + w.message() + "' $(git write-tree))"
	w.enter(dir)
	w.say("exec sh -c " + quoteWord(script))
	_, err := w.process(dir, nil, "sh", "-c", script)
	return err == nil
}

// rename: a file gets another name, with or without git's knowledge, perhaps with a small change, by a person or an
// agent.
func rename(w *world, rng *rand.Rand, dir string) bool {
	p, ok := w.pickPath(rng, dir)
	if !ok {
		return false
	}
	if _, edited := w.unseen[dir+"\x00"+p]; edited {
		return false // edited beyond recognition and renamed before anybody looks: that is a new file
	}
	to := w.newPath(rng)
	move := func() {
		w.must(os.MkdirAll(filepath.Join(dir, path.Dir(to)), 0o755))
		w.enter(dir)
		w.say("exec mkdir -p " + path.Dir(to))
		if rng.IntN(2) == 0 && w.git(dir, "mv", p, to) {
			return
		}
		w.say("mv " + p + " " + to)
		w.run(dir, "mv", p, to)
	}
	defer func() { w.renamed[dir+"\x00"+to] = true }()
	who := byHuman
	act := func() {
		move()
		old, _ := w.read(dir, to)
		if len(old) < 12 || rng.IntN(2) == 0 {
			return
		}
		text, from := w.reshape(rng, old)
		w.writeAs(dir, to, from, text, who)
		w.put(dir, to)
	}
	if rng.IntN(2) == 0 {
		act()
		return true
	}
	who = w.session(rng)
	w.agentShell(dir, who, act)
	return true
}

// remove: a file goes, and may come back at once with another text.
func remove(w *world, rng *rand.Rand, dir string) bool {
	p, ok := w.pickPath(rng, dir)
	if !ok || len(w.paths(dir)) < 2 {
		return false
	}
	drop := func(who string) {
		w.enter(dir)
		w.say("rm " + p)
		old, _ := w.read(dir, p)
		w.note(dir, p, edit{old: old})
		w.run(dir, "rm", p)
		if rng.IntN(2) == 0 {
			w.writeAs(dir, p, nil, w.text(rng, 3+rng.IntN(6)), who)
			w.put(dir, p)
		}
	}
	if rng.IntN(2) == 0 {
		drop(byHuman)
		return true
	}
	s := w.session(rng)
	w.agentShell(dir, s, func() { drop(s) })
	return true
}

// busy names the operation that git has under way in a work tree.
func (w *world) busy(dir string) string {
	git, _ := w.ask(dir, "rev-parse", "--absolute-git-dir")
	for _, mark := range []string{"rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"} {
		if _, err := os.Stat(filepath.Join(git, mark)); err == nil {
			return strings.ToLower(strings.TrimSuffix(mark, "_HEAD"))
		}
	}
	return ""
}
