package snapshot

import "os/exec"

// indexStories are about what the user's index can hold, and repositories in repositories.
func indexStories() []story {
	return []story{
		{
			name:  "staged, partly staged and unstaged changes",
			setup: func(b *sandbox) { b.write("a", "1\n"); b.write("b", "1\n"); b.write("c", "1\n"); b.commit("one") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("a", "2\n"); b.git("add", "a"); b.write("a", "3\n") },
				func(b *sandbox) { b.git("rm", "-q", "--cached", "b") },
				func(b *sandbox) { b.git("add", "b"); b.git("mv", "c", "d") },
				func(b *sandbox) { b.git("stash", "-q", "-u") },
				func(b *sandbox) { b.git("stash", "pop", "-q") },
				func(b *sandbox) { b.git("reset", "-q", "--hard") },
			},
		},
		{
			name:  "intent to add",
			setup: func(b *sandbox) { b.write("a", "a\n"); b.commit("one") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("b", "b\n"); b.git("add", "-N", "b") },
				func(b *sandbox) { b.remove("b") },
				func(b *sandbox) { b.write("b", "c\n") },
			},
		},
		{
			name: "a conflicted index",
			setup: func(b *sandbox) {
				b.write("a", "base\n")
				b.write("gone", "base\n")
				b.commit("base")
				b.git("checkout", "-q", "-b", "side")
				b.write("a", "side\n")
				b.write("gone", "side\n")
				b.commit("side")
				b.git("checkout", "-q", "main")
				b.write("a", "main\n")
				b.remove("gone")
				b.commit("main")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { _, _ = b.tryGit("merge", "-q", "side") },
				func(b *sandbox) { b.write("a", "resolved\n") },
				func(b *sandbox) { b.remove("gone") },
				func(b *sandbox) { b.remove("a") },
				func(b *sandbox) { b.git("merge", "--abort") },
			},
		},
		{
			name:   "assume-unchanged entries",
			setup:  func(b *sandbox) { b.write("a", "a\n"); b.write("b", "b\n"); b.commit("one") },
			method: MethodOwn,
			steps: []func(*sandbox){
				func(b *sandbox) { b.git("update-index", "--assume-unchanged", "a"); b.write("a", "not seen\n") },
				func(b *sandbox) { b.write("b", "bb\n"); b.remove("a") },
				func(b *sandbox) { b.write("a", "seen\n"); b.git("update-index", "--no-assume-unchanged", "a") },
			},
		},
		{
			name:   "skip-worktree entries",
			setup:  func(b *sandbox) { b.write("a", "a\n"); b.write("b", "b\n"); b.commit("one") },
			method: MethodGit,
			steps: []func(*sandbox){
				func(b *sandbox) { b.git("update-index", "--skip-worktree", "a"); b.remove("a") },
				func(b *sandbox) { b.write("b", "bb\n") },
			},
		},
		{
			name:  "a sparse checkout",
			flags: []string{"--sparse"},
			setup: func(b *sandbox) {
				b.write("in/a", "a\n")
				b.write("out/b", "b\n")
				b.write("out/c/d", "d\n")
				b.write("top", "t\n")
				b.commit("one")
				b.git("sparse-checkout", "set", "--cone", "in")
			},
			method: MethodOwn,
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("in/a", "aa\n"); b.write("in/new", "n\n") },
				func(b *sandbox) { b.write("out/new", "outside\n") },
				func(b *sandbox) { b.remove("out"); b.git("sparse-checkout", "reapply", "--sparse-index") },
				func(b *sandbox) { b.write("in/a", "aaa\n") },
				func(b *sandbox) { b.git("sparse-checkout", "disable") },
			},
		},
		{
			name: "a submodule",
			setup: func(b *sandbox) {
				other := b.path("../other")
				for _, args := range [][]string{{"init", "-q", other}, {"-C", other, "commit", "-q", "--allow-empty", "-m", "x"}} {
					if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
						b.Fatalf("git: %v: %s", err, out)
					}
				}
				b.write("a", "a\n")
				b.git("submodule", "add", "-q", other, "sub")
				b.commit("one")
			},
			method: MethodOwn,
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("a", "aa\n") },
				func(b *sandbox) { b.write("sub/f", "dirty\n") },
				func(b *sandbox) { b.git("-C", "sub", "add", "f"); b.git("-C", "sub", "commit", "-qm", "y") },
				func(b *sandbox) { b.git("rm", "-q", "-f", "--cached", "sub"); b.remove("sub", ".gitmodules") },
			},
		},
		{
			name:   "an embedded repository with a commit",
			method: MethodOwn,
			setup:  func(b *sandbox) { b.write("a", "a\n"); b.commit("one") },
			steps: []func(*sandbox){
				func(b *sandbox) {
					b.git("init", "-q", "inner/repo")
					b.write("inner/f", "f\n")
					b.write("inner/repo/x", "x\n")
					b.git("-C", "inner/repo", "add", ".")
					b.git("-C", "inner/repo", "commit", "-qm", "x")
				},
				func(b *sandbox) { b.write("a", "aa\n") },
				func(b *sandbox) { b.remove("inner/repo/.git") },
			},
		},
		{
			name:   "an embedded repository without a commit",
			method: MethodGit,
			setup:  func(b *sandbox) { b.write("a", "a\n"); b.commit("one") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.git("init", "-q", "inner"); b.write("inner/f", "f\n"); b.write("b", "b\n") },
				func(b *sandbox) { b.write("b", "bb\n") },
			},
		},
		{
			name:   "an empty .git directory",
			method: MethodGit,
			setup:  func(b *sandbox) { b.write("d/a", "a\n"); b.commit("one") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.mkdir("d/.git"); b.mkdir("e/.git"); b.write("e/f", "f\n") },
				func(b *sandbox) { b.write("d/a", "aa\n") },
			},
		},
		{
			name:   "an ignored embedded repository",
			method: MethodOwn,
			setup: func(b *sandbox) {
				b.write(".gitignore", "vendor/\n")
				b.git("init", "-q", "vendor/x")
				b.write("vendor/x/f", "f\n")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("a", "a\n") },
			},
		},
		{
			name: "a split index",
			setup: func(b *sandbox) {
				b.write("a", "a\n")
				b.write("d/b", "b\n")
				b.commit("one")
				b.git("update-index", "--split-index")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("a", "aa\n"); b.git("add", "a"); b.write("c", "c\n") },
				func(b *sandbox) { b.git("config", "core.splitIndex", "true"); b.commit("two"); b.write("d/b", "bb\n") },
			},
		},
		{
			name: "index version 4 with the untracked cache",
			setup: func(b *sandbox) {
				b.write("abc/def/g", "g\n")
				b.write("abc/def/h", "h\n")
				b.write("abd", "d\n")
				b.commit("one")
				b.git("update-index", "--index-version", "4", "--untracked-cache")
				b.git("status")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("abc/def/h", "hh\n"); b.write("abc/new", "n\n"); b.git("add", "abc/new") },
				func(b *sandbox) { b.git("add", "-N", "."); b.git("status") },
			},
		},
		{
			name:  "an index without a checksum",
			setup: func(b *sandbox) { b.git("config", "index.skipHash", "true"); b.write("a", "a\n"); b.commit("one") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("a", "aa\n"); b.write("b", "b\n"); b.git("add", "b") },
			},
		},
		{
			name: "a shared clone",
			setup: func(b *sandbox) {
				b.write("a", "a\n")
				b.write("d/b", "b\n")
				b.commit("one")
				b.git("clone", "-q", "--shared", b.dir, b.path("../clone"))
				b.dir = b.path("../clone")
				b.discover()
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("d/b", "bb\n") },
				func(b *sandbox) { b.commit("two") },
			},
		},
	}
}
