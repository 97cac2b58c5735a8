package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// try runs git and reports whether it succeeded.
func (l *life) try(args ...string) bool { return l.command("git", args...).Run() == nil }

// commitSome commits all, some files, or some hunks of what was changed.
func (l *life) commitSome() {
	l.tick()
	l.git("add", "-A", "-N")
	changed := strings.Fields(l.git("diff", "--name-only"))
	switch {
	case len(changed) > 1 && l.rng.Intn(4) == 0:
		l.git(append([]string{"add"}, changed[:len(changed)/2]...)...)
	case len(changed) > 0 && l.rng.Intn(4) == 0:
		l.stageHunks(changed[0])
	default:
		l.git("add", "-A")
	}
	l.try("commit", "-q", "-m", "work")
}

// stageHunks stages every other hunk of a file.
func (l *life) stageHunks(path string) {
	diff := l.git("diff", "-U0", "--", path)
	parts := strings.Split(diff, "\n@@ ")
	patch := parts[0]
	for i, part := range parts[1:] {
		if i%2 == 0 {
			patch += "\n@@ " + part
		}
	}
	cmd := l.command("git", "apply", "--cached", "--unidiff-zero")
	cmd.Stdin = strings.NewReader(strings.TrimSuffix(patch, "\n") + "\n")
	if out, err := cmd.CombinedOutput(); err != nil && !bytes.Contains(out, []byte("error")) {
		l.t.Fatalf("%v: %s", err, out)
	}
}

// some work, and commits of it.
func (l *life) work(commits int) {
	var open []*pastSession
	for range commits {
		for range 2 + l.rng.Intn(4) {
			if l.rng.Intn(3) == 0 {
				l.hand()
				continue
			}
			if len(open) < 2 {
				open = append(open, l.begin())
			}
			i := l.rng.Intn(len(open))
			l.works(open[i])
			if l.rng.Intn(3) == 0 {
				l.finish(open[i])
				open = slices.Delete(open, i, i+1)
			}
		}
		if l.rng.Intn(6) == 0 {
			l.clock = l.clock.Add(time.Duration(l.rng.Intn(300)) * time.Hour)
		}
		l.commitSome()
		if l.rng.Intn(8) == 0 && len(open) > 0 { // more work, and the commit is made anew with it
			l.clock = l.clock.Add(time.Hour)
			l.works(open[0])
			l.hunksOf("HEAD")
			l.amend()
		}
	}
	for _, s := range open {
		l.finish(s)
	}
	l.git("add", "-A")
	l.try("commit", "-q", "-m", "the rest")
}

// amend makes the last commit anew, with the date that it had.
func (l *life) amend() {
	l.git("add", "-A")
	cmd := l.command("git", "commit", "-q", "--amend", "--no-edit", "--allow-empty")
	_ = cmd.Run()
}

// hunksOf writes down whose the lines of each hunk of some commits are: git makes them again elsewhere.
func (l *life) hunksOf(revs ...string) {
	l.eachHunk(append([]string{"log", "--no-merges", "-p"}, revs...), func(h lifeHunk) {
		key := strings.Join(h.added, "\n")
		who := l.ownersOf(h)
		if known := l.hunks[key]; known != nil {
			for i := range who {
				who[i] = either(who[i], known[i])
			}
		}
		l.hunks[key] = who
	})
}

// lifeHunk is a hunk of a commit.
type lifeHunk struct {
	commit, path, blob string
	start              int
	added, removed     []string
}

// ownersOf are the writers of the lines that a hunk adds.
func (l *life) ownersOf(h lifeHunk) []string {
	if len(h.added) == 0 {
		return nil
	}
	if known := l.blobs[h.blob]; known != nil && h.start-1+len(h.added) <= len(known) {
		return slices.Clone(known[h.start-1 : h.start-1+len(h.added)])
	}
	if known := l.hunks[strings.Join(h.added, "\n")]; known != nil {
		return slices.Clone(known)
	}
	return l.writersOf("", h.added)
}

// eachHunk gives the hunks of commits, as git tells them.
func (l *life) eachHunk(args []string, yield func(lifeHunk)) {
	args = append([]string{args[0], "--format=commit %H", "-U0", "-M", "--full-index", "--no-color"}, args[1:]...)
	var h lifeHunk
	flush := func() {
		if len(h.added)+len(h.removed) > 0 {
			yield(h)
		}
		h.added, h.removed = nil, nil
	}
	for line := range strings.Lines(l.git(args...)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "commit "):
			flush()
			h = lifeHunk{commit: line[7:]}
		case strings.HasPrefix(line, "diff --git "):
			flush()
		case strings.HasPrefix(line, "index "):
			_, rest, _ := strings.Cut(line, "..")
			h.blob = strings.Fields(rest)[0]
		case strings.HasPrefix(line, "+++ b/"):
			h.path = line[6:]
		case strings.HasPrefix(line, "@@ "):
			flush()
			_, rest, _ := strings.Cut(line, " +")
			numbers, _, _ := strings.Cut(rest, " ")
			first, _, _ := strings.Cut(numbers, ",")
			h.start = 0
			for _, c := range first {
				h.start = h.start*10 + int(c-'0')
			}
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		case strings.HasPrefix(line, "+"):
			h.added = append(h.added, line[1:])
		case strings.HasPrefix(line, "-"):
			h.removed = append(h.removed, line[1:])
		}
	}
	flush()
}

// passes is a history with everything in it that happens to histories.
func (l *life) passes(commits int) {
	l.work(commits)
	for _, what := range []func(int){l.rebased, l.squashed, l.picked, l.reverted, l.merged, l.linked, l.cloned} {
		what(max(commits/3, 2))
		l.work(max(commits/3, 1))
	}
	l.strangers(2)
}

// topic works on a branch while main goes on.
func (l *life) topic(commits int) {
	l.git("switch", "-qc", "topic")
	l.work(commits)
	l.git("switch", "-q", "main")
	l.hand()
	l.create(nil, "pkg0/aside"+time.Duration(l.count).String()+".go", l.fresh(8))
	l.git("add", "-A")
	l.try("commit", "-q", "-m", "meanwhile")
	l.hunksOf("main..topic")
	l.tick()
}

func (l *life) rebased(commits int) {
	l.topic(commits)
	// A conversation that comes before the rebase and knows what main has.
	s := l.begin()
	l.works(s)
	l.works(s)
	l.finish(s)
	l.git("add", "-A")
	l.try("commit", "-q", "-m", "before the rebase")
	l.clock = l.clock.Add(50 * time.Hour)
	l.git("switch", "-q", "topic")
	if !l.try("rebase", "-q", "main") {
		l.try("rebase", "--abort")
		l.git("switch", "-q", "main")
		l.landed("merge", "-q", "-X", "theirs", "--no-edit", "topic")
	} else {
		l.git("switch", "-q", "main")
		l.git("merge", "-q", "--ff-only", "topic")
	}
	l.git("branch", "-qD", "topic")
}

// landed merges, or gives up.
func (l *life) landed(args ...string) {
	if !l.try(args...) {
		l.try("merge", "--abort")
		l.try("reset", "-q", "--hard")
	}
}

func (l *life) squashed(commits int) {
	l.topic(commits)
	l.landed("merge", "-q", "-X", "theirs", "--squash", "topic")
	l.tick()
	l.try("commit", "-q", "-m", "squashed")
	l.git("branch", "-qD", "topic")
}

func (l *life) merged(commits int) {
	l.topic(commits)
	l.landed("merge", "-q", "--no-ff", "-X", "theirs", "--no-edit", "topic")
	l.git("branch", "-qD", "topic")
}

// picked takes one commit of a branch that is kept beside.
func (l *life) picked(commits int) {
	l.topic(commits)
	if !l.try("cherry-pick", "-X", "theirs", "topic") {
		l.try("cherry-pick", "--abort")
		l.try("reset", "-q", "--hard")
	}
	l.git("branch", "-qm", "topic", "kept")
}

// reverted takes the last commit back, and weeks later the taking back.
func (l *life) reverted(commits int) {
	l.work(commits)
	l.hunksOf("-3", "HEAD")
	l.tick()
	if !l.try("revert", "--no-edit", "HEAD") {
		l.try("revert", "--abort")
		return
	}
	undo := strings.TrimSpace(l.git("rev-parse", "HEAD"))
	l.hunksOf("-1", "HEAD")
	l.clock = l.clock.Add(300 * time.Hour)
	if !l.try("revert", "--no-edit", undo) {
		l.try("revert", "--abort")
	}
}

// linked works in a second work tree on a branch of its own.
func (l *life) linked(commits int) {
	other := filepath.Join(filepath.Dir(l.main), "linked")
	l.git("worktree", "add", "-q", "-b", "beside", other)
	l.dir = other
	l.work(commits)
	l.dir = l.main
	l.hunksOf("main..beside")
	l.landed("merge", "-q", "-X", "theirs", "--no-edit", "beside")
}

// cloned works in another clone, which nobody has afterwards.
func (l *life) cloned(commits int) {
	other := filepath.Join(filepath.Dir(l.main), "elsewhere", "shop")
	l.git("clone", "-q", ".", other)
	l.dir, l.roots[other] = other, "/home/alice/src/shop"
	l.work(commits)
	l.hunksOf("origin/main..main")
	l.dir = l.main
	l.git("fetch", "-q", other, "main:fetched")
	l.landed("merge", "-q", "-X", "theirs", "--no-edit", "fetched")
	l.must(os.RemoveAll(other))
}
