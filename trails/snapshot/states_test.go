package snapshot

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// story is a work tree that goes through steps; after each, both methods must give git's tree.
type story struct {
	name  string
	init  []string
	flags []string
	setup func(b *sandbox)
	steps []func(b *sandbox)
	// method the own engine is expected to end with; own if empty
	method string
	skip   func() string
}

func TestSnapshotsEqualGit(t *testing.T) {
	t.Parallel()
	for _, s := range testenv.Some(stories(), 3) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if s.skip != nil {
				if why := s.skip(); why != "" {
					t.Skip(why)
				}
			}
			b := newSandbox(t, s.init...)
			b.flags = s.flags
			if s.setup != nil {
				s.setup(b)
			}
			own, byGit, heard := b.watch("own", false), b.watch("git", true), b.listen("heard")
			heard.check("first", b.wantTree())
			heard.check("then", b.wantTree())
			for i, step := range append([]func(*sandbox){func(*sandbox) {}}, s.steps...) {
				step(b)
				label := fmt.Sprintf("step %d", i)
				want := b.wantTree()
				own.check(label, want)
				byGit.check(label, want)
				own.check(label+" again", want)
				heard.check(label, want)
				heard.check(label+" again", want)
			}
			if want := max(s.method, ""); want == "" && own.used != MethodOwn || want != "" && own.used != want {
				t.Errorf("ended with method %s, want %q", own.used, s.method)
			}
		})
	}
}

func isRoot() string {
	if os.Getuid() == 0 {
		return "root reads everything"
	}
	return ""
}

func stories() []story {
	return append(append(plainStories(), ruleStories()...), indexStories()...)
}

func plainStories() []story {
	return []story{
		{
			name: "an empty repository",
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("a", "a\n") },
				func(b *sandbox) { b.remove("a") },
			},
		},
		{
			name:  "files come, change and go",
			setup: func(b *sandbox) { b.write("a", "1\n"); b.write("d/b", "2\n"); b.commit("one") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("a", "one\n") },
				func(b *sandbox) { b.write("d/e/f/g", "new\n"); b.write("d/c", "new\n") },
				func(b *sandbox) { b.remove("d/b") },
				func(b *sandbox) { b.remove("d") },
				func(b *sandbox) { b.write("d/b", "2\n") },
				func(b *sandbox) { b.commit("two") },
				func(b *sandbox) { b.must(os.Rename(b.path("a"), b.path("z"))) },
				func(b *sandbox) { b.write("a", "1\n"); b.write("a", "2\n") },
			},
		},
		{
			name:  "links are not followed",
			setup: func(b *sandbox) { b.write("dir/f", "x\n"); b.symlink("dir", "link"); b.symlink("nowhere", "dangling") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.symlink("../dir/f", "dir/up"); b.commit("links") },
				func(b *sandbox) { b.remove("link"); b.symlink("dir/f", "link") },
				func(b *sandbox) { b.must(os.Rename(b.path("dir"), b.path("real"))); b.symlink("real", "dir") },
				func(b *sandbox) { b.remove("dangling"); b.write("dangling", "no longer\n") },
				func(b *sandbox) {
					b.symlink("/etc/passwd", "absolute")
					b.symlink(strings.Repeat("long/", 300), "long")
				},
			},
		},
		{
			name:  "executable bits count",
			setup: func(b *sandbox) { b.write("run", "#!/bin/sh\n"); b.write("no", "x\n"); b.commit("one") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.chmod("run", 0o755) },
				func(b *sandbox) { b.chmod("run", 0o654); b.chmod("no", 0o711) },
				func(b *sandbox) { b.commit("two") },
			},
		},
		{
			name: "executable bits do not count with core.fileMode=false",
			setup: func(b *sandbox) {
				b.write("run", "#!/bin/sh\n")
				b.chmod("run", 0o755)
				b.write("no", "x\n")
				b.commit("one")
				b.git("config", "core.fileMode", "false")
			},
			steps: []func(*sandbox){
				func(b *sandbox) {
					b.chmod("run", 0o644)
					b.chmod("no", 0o755)
					b.write("new", "y\n")
					b.chmod("new", 0o755)
				},
				func(b *sandbox) { b.write("run", "#!/bin/bash\n") },
				func(b *sandbox) { b.git("update-index", "--chmod=+x", "no") },
				func(b *sandbox) { b.git("add", "new"); b.git("update-index", "--chmod=+x", "new") },
				func(b *sandbox) { b.git("rm", "-q", "--cached", "new") },
				func(b *sandbox) { b.git("config", "core.fileMode", "true") },
			},
		},
		{
			name: "files and directories trade places",
			setup: func(b *sandbox) {
				b.write("a", "file\n")
				b.write("b/c/d", "deep\n")
				b.write("b.c", "x\n")
				b.commit("one")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.remove("a"); b.write("a/x", "now a directory\n") },
				func(b *sandbox) { b.remove("b"); b.write("b", "now a file\n") },
				func(b *sandbox) { b.remove("b"); b.symlink("a", "b") },
				func(b *sandbox) { b.remove("a", "b"); b.write("b/c", "half\n"); b.symlink("b", "a") },
				func(b *sandbox) { b.commit("two") },
			},
		},
		{
			name:  "empty directories are nothing",
			setup: func(b *sandbox) { b.mkdir("empty/deeper"); b.write("x", "x\n") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("empty/deeper/f", "f\n") },
				func(b *sandbox) { b.remove("empty/deeper/f") },
				func(b *sandbox) { b.remove("x") },
			},
		},
		{
			name: "unusual names",
			setup: func(b *sandbox) {
				for _, name := range []string{
					"with space", " lead", "trail ", "quo\"te", "apos'", "tab\t", "new\nline", "na\u00efve-nfc", "nai\u0308ve-nfd",
					"emoji-\U0001f600", "latin1-\xe9", "-dash", "--", ":colon", ":(top)x", "!bang", "#hash", "*", "?", "[a]", "~",
					"dir with space/\xff\xfe", "very/deep/" + strings.Repeat("d/", 40) + "f", "...", "a..b", ".gitfoo", ".github/x", "gitx",
				} {
					b.write(name, name+"\n")
				}
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.commit("one") },
				func(b *sandbox) { b.write("new\nline", "again\n"); b.write(":(top)x", "again\n"); b.remove("*") },
				func(b *sandbox) { b.write(":(exclude)y", "new\n"); b.write("dir with space/\xfe", "new\n") },
			},
		},
		{
			name:   "names that git may refuse",
			method: MethodGit,
			setup:  func(b *sandbox) { b.write("a", "a\n"); b.commit("one") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("back\\slash", "x\n") },
				func(b *sandbox) { b.remove("back\\slash"); b.write("git~1", "x\n") },
				func(b *sandbox) { b.write(".GIT/x", "x\n"); b.write("ok", "x\n") },
				func(b *sandbox) { b.write(".git\u200c/x", "x\n"); b.write("a", "y\n") },
			},
		},
		{
			name:  "special files are left alone",
			setup: func(b *sandbox) { b.write("a", "a\n"); b.commit("one") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.must(mkfifo(b.path("pipe"))); b.write("b", "b\n") },
				func(b *sandbox) { b.remove("pipe"); b.write("pipe", "a file now\n") },
				func(b *sandbox) { b.remove("a"); b.must(mkfifo(b.path("a"))) },
				func(b *sandbox) { b.write("b", "c\n") },
				func(b *sandbox) { b.remove("a"); b.write("a", "back\n") },
			},
		},
		{
			name:  "unreadable files",
			skip:  isRoot,
			setup: func(b *sandbox) { b.write("tracked", "a\n"); b.write("other", "o\n"); b.commit("one") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("secret", "s\n"); b.chmod("secret", 0) },
				func(b *sandbox) { b.write("tracked", "changed\n"); b.chmod("tracked", 0) },
				func(b *sandbox) { b.write("other", "more\n") },
				func(b *sandbox) { b.chmod("tracked", 0o644); b.chmod("secret", 0o644) },
			},
		},
		{
			name: "unreadable directories",
			skip: isRoot,
			setup: func(b *sandbox) {
				b.write("d/tracked", "a\n")
				b.write("d/sub/tracked", "a\n")
				b.commit("one")
				b.write("d/untracked", "u\n")
				b.write("d/sub/untracked", "u\n")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.chmod("d", 0o111); b.Cleanup(func() { b.chmod("d", 0o755) }) },
				func(b *sandbox) { b.write("d/tracked", "changed\n") },
				func(b *sandbox) { b.chmod("d", 0o755) },
				func(b *sandbox) { b.chmod("d", 0o000) },
				func(b *sandbox) { b.chmod("d", 0o755); b.write("d/sub/new", "n\n") },
				func(b *sandbox) {
					b.flags = []string{"--", ".", ":(exclude)d/sub"} // or git would give up
					b.chmod("d/sub", 0o644)
					b.Cleanup(func() { b.chmod("d/sub", 0o755) })
				},
				func(b *sandbox) { b.flags = nil; b.chmod("d/sub", 0o755) },
			},
		},
		{
			name:  "many files in one directory",
			setup: func(b *sandbox) { manyFiles(b, "many", 500); b.commit("one"); manyFiles(b, "more", 300) },
			steps: []func(*sandbox){
				func(b *sandbox) { manyFiles(b, "more", 350); b.write("many/f0100", "changed\n") },
				func(b *sandbox) {
					b.git("checkout", "-q", "-b", "side")
					b.commit("two")
					b.git("checkout", "-q", "main")
				},
				func(b *sandbox) { b.git("checkout", "-q", "side") },
			},
		},
		{
			name:  "a large file",
			setup: func(b *sandbox) { b.write("big", strings.Repeat("0123456789abcdef\n", 600_000)) },
			steps: []func(*sandbox){
				func(b *sandbox) { b.commit("one") },
				func(b *sandbox) { b.write("big", strings.Repeat("0123456789ABCDEF\n", 600_000)) },
				func(b *sandbox) { b.write(".gitattributes", "* text=auto\n") },
				func(b *sandbox) { b.write("big2", strings.Repeat("0123456789ABCDEF\r\n", 600_000)) },
			},
		},
		{
			name:  "a sha-256 repository",
			init:  []string{"--object-format=sha256"},
			setup: func(b *sandbox) { b.write("a", "a\n"); b.write("d/b", "b\n"); b.commit("one") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("d/b", "bb\n"); b.write("d/c", "c\n") },
				func(b *sandbox) {
					b.write(".gitattributes", "*.txt filter=up\n")
					b.git("config", "filter.up.clean", "tr a-z A-Z")
					b.write("x.txt", "abc\n")
				},
				func(b *sandbox) { b.commit("two") },
			},
		},
		{
			name: "a linked work tree",
			setup: func(b *sandbox) {
				b.write("a", "a\n")
				b.write(".gitignore", "*.o\n")
				b.commit("one")
				b.git("worktree", "add", "-q", b.path("../linked"))
				b.write("only-main", "x\n")
				b.dir = b.path("../linked")
				b.discover()
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("a", "aa\n"); b.write("x.o", "o\n"); b.write("y", "y\n") },
				func(b *sandbox) { b.commit("two") },
			},
		},
		{
			name: "staged content pruned in between",
			setup: func(b *sandbox) {
				b.write("a", "a\n")
				b.commit("one")
				b.write("a", "staged\n")
				b.write("n", "new\n")
				b.age("a")
				b.git("add", "-A")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.git("reset", "-q"); b.git("gc", "-q", "--prune=now"); b.write("a", "later\n") },
				func(b *sandbox) { b.write("c", "c\n") },
			},
		},
		{
			name:  "objects pruned in between",
			setup: func(b *sandbox) { b.write("a", "a\n"); b.write("d/b", "b\n"); b.commit("one") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("d/b", "staged\n"); b.git("add", "d/b") },
				func(b *sandbox) { b.write("c", "c\n") },
				func(b *sandbox) { b.git("reset", "-q"); b.git("gc", "-q", "--prune=now") },
				func(b *sandbox) { b.write("d/e", "e\n") },
				func(b *sandbox) { b.commit("two"); b.git("gc", "-q", "--prune=now"); b.write("a", "b\n") },
			},
		},
	}
}

func manyFiles(b *sandbox, dir string, n int) {
	for i := range n {
		b.write(filepath.Join(dir, fmt.Sprintf("f%04d", i)), fmt.Sprintf("content %d\n", i))
	}
}
