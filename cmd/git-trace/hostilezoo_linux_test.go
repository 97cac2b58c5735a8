package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// zoo is a recorded repository, and beside it and inside of it the repositories of strangers. Each names programs
// wherever git runs any, and each of those programs leaves a file.
type zoo struct {
	*recordedRepo
	base  string // directory of all of them
	pwned string // the file that is left
	all   []hostile
}

// hostile is the repository of a stranger.
type hostile struct {
	name string
	dir  string // where an agent works in it
	own  string // what belongs to it; no file there is read, but for those of discovery
	// inside tells that it lies in the recorded work tree, whose snapshots see it: git asks it which commit it is at.
	inside bool
	// files tells that it is none to git, but files of the recorded work tree.
	files bool
}

func (z *zoo) path(rel string) string { return filepath.Join(z.base, filepath.FromSlash(rel)) }

func (z *zoo) must(err error) {
	z.t.Helper()
	if err != nil {
		z.t.Fatal(err)
	}
}

func (z *zoo) put(rel, content string) {
	z.t.Helper()
	z.must(os.MkdirAll(filepath.Dir(z.path(rel)), 0o755))
	z.must(os.WriteFile(z.path(rel), []byte(content), 0o755))
}

func (z *zoo) sh(script string) {
	z.t.Helper()
	z.run("sh", "-ec", "cd \"$0\"\n"+script, z.base)
}

func (z *zoo) add(h hostile) {
	h.dir = z.path(h.dir)
	if h.own = z.path(h.own); h.own == z.base {
		h.own = h.dir
	}
	z.all = append(z.all, h)
}

// attack is a configuration that names programs wherever one can be named.
func (z *zoo) attack() string {
	run := `"touch ` + z.pwned + `; false"`
	var b strings.Builder
	fmt.Fprintf(&b, "[core]\n\tfsmonitor = %s\n\tpager = %s\n\teditor = %s\n\tsshCommand = %s\n\taskPass = %s\n\thooksPath = %s\n", run, run, run, run, run, z.path("hooks"))
	for _, name := range []string{"x", "lfs"} {
		fmt.Fprintf(&b, "[filter %q]\n\tclean = %s\n\tsmudge = %s\n\tprocess = %s\n", name, run, run, run)
		fmt.Fprintf(&b, "[diff %q]\n\ttextconv = %s\n\tcommand = %s\n", name, run, run)
	}
	fmt.Fprintf(&b, "[diff]\n\texternal = %s\n[include]\n\tpath = %s\n[credential]\n\thelper = %s\n[gpg]\n\tprogram = %s\n", run, z.path("included"), run, run)
	fmt.Fprintf(&b, "[remote \"evil\"]\n\turl = ext::sh -c touch%%%% %s\n\tpromisor = true\n[uploadpack]\n\tpackObjectsHook = %s\n", z.pwned, run)
	return b.String()
}

// archive is a repository as anybody may pack it: its index has other times than its files, so that git runs filters.
func (z *zoo) archive(rel string) {
	z.sh("git init -q " + rel + "; cd " + rel + "; mkdir docs; for f in a.txt README.md greet.go docs/guide.md; do echo one >$f; done; " +
		"git add .; git commit -qm theirs; for f in a.txt README.md greet.go docs/guide.md; do echo two >$f; done; mkdir .git/traces .git/info/x; " +
		"echo 'git-trace records here' >.git/traces/recording; echo '* filter=x diff=x' >.gitattributes")
	z.put(rel+"/.git/hooks/post-commit", "#!/bin/sh\ntouch "+z.pwned+"\n")
	config, err := os.ReadFile(z.path(rel + "/.git/config"))
	z.must(err)
	z.put(rel+"/.git/config", string(config)+z.attack())
}

// bare is the layout of a git directory in plain files, with a work tree below.
func (z *zoo) bare(rel string) {
	z.put(rel+"/HEAD", "ref: refs/heads/main\n")
	z.put(rel+"/refs/heads/.keep", "")
	z.put(rel+"/objects/.keep", "")
	z.put(rel+"/traces/recording", "git-trace records here\n")
	z.put(rel+"/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = wt\n"+z.attack())
	for _, name := range []string{"a.txt", "README.md", "wt/a.txt"} {
		z.put(rel+"/"+name, "one\n")
	}
}

// newZoo makes all of them. The recorded repository is of those that strangers can do most with: it has configurations
// of its work trees.
func newZoo(r *recordedRepo) *zoo {
	base, err := filepath.EvalSymlinks(testenv.TempDir(r.t))
	z := &zoo{recordedRepo: r, base: base, pwned: filepath.Join(base, "PWNED")}
	z.must(err)
	z.must(os.Rename(r.dir, z.path("r")))
	r.dir = z.path("r")
	z.put("hooks/post-index-change", "#!/bin/sh\ntouch "+z.pwned+"\n")
	z.put("included", "[core]\n\tfsmonitor = \"touch "+z.pwned+"; false\"\n")
	z.bare("r/docs/sample")
	r.run("git", "config", "extensions.worktreeConfig", "true")
	r.run("git", "add", "-A", "-f")
	r.run("git", "commit", "-q", "--no-verify", "-m", "a bare layout among the files")
	r.run("git-trace", "doctor", "--fix")
	git := z.path("r/.git")

	z.archive("archive")
	z.add(hostile{name: "an archive", dir: "archive"})
	z.add(hostile{name: "below its top", dir: "archive/docs", own: "archive"})
	z.archive("parent/one")
	z.archive("parent/two")
	z.add(hostile{name: "the directory above", dir: "parent"})
	z.bare("layout")
	z.add(hostile{name: "a bare layout", dir: "layout"})
	z.add(hostile{name: "the work tree of a bare layout", dir: "layout/wt", own: "layout"})
	z.sh("cp -a r copy; git -C copy config core.fsmonitor 'touch " + z.pwned + "; false'")
	z.add(hostile{name: "a copy of the recorded one", dir: "copy"})
	z.sh("git init -q replaced; cd replaced; git-trace init; cd ..; mv replaced before; cp -a before replaced; git -C replaced config core.fsmonitor 'touch " + z.pwned + "; false'")
	z.add(hostile{name: "in the place of a recorded one", dir: "replaced"})
	for _, name := range []string{"pointer", "link", "claims", "claims-linked/w"} {
		z.put(name+"/a.txt", "one\n")
		z.put(name+"/.gitattributes", "* filter=x\n")
	}
	z.put("pointer/.git", "gitdir: "+git+"\n")
	z.add(hostile{name: "a .git file that points to the recorded one", dir: "pointer"})
	z.must(os.Symlink(git, z.path("link/.git")))
	z.add(hostile{name: "a .git that is a link to the recorded one", dir: "link"})
	z.put("claims/.git/HEAD", "ref: refs/heads/main\n")
	z.put("claims/.git/commondir", git+"\n")
	z.put("claims/.git/config.worktree", z.attack())
	z.add(hostile{name: "a git directory that claims the recorded one's", dir: "claims"})
	z.put("claims-linked/w/.git", "gitdir: ../worktrees/x\n")
	z.put("claims-linked/worktrees/x/HEAD", "ref: refs/heads/main\n")
	z.put("claims-linked/worktrees/x/commondir", git+"\n")
	z.put("claims-linked/worktrees/x/gitdir", z.path("claims-linked/w/.git")+"\n")
	z.put("claims-linked/worktrees/x/config.worktree", z.attack())
	z.add(hostile{name: "a linked work tree that claims the recorded one's", dir: "claims-linked/w", own: "claims-linked"})
	z.archive("elsewhere")
	z.sh("mv elsewhere/.git elsewhere/store; echo 'gitdir: store' >elsewhere/.git")
	z.add(hostile{name: "its git directory elsewhere in it", dir: "elsewhere"})
	for name, file := range map[string]string{"fifo-head": "HEAD", "fifo-config": "config", "fifo-index": "index", "fifo-commondir": "commondir"} {
		z.archive(name)
		z.sh("cd " + name + "/.git; rm -f " + file + "; mkfifo " + file)
		z.add(hostile{name: "a fifo for its " + file, dir: name})
	}
	z.archive("alternates")
	z.sh("mkfifo alternates/.git/objects/info/alternates; mkdir -p alternates/.git/info; rm -f alternates/.git/info/attributes; mkfifo alternates/.git/info/attributes")
	z.add(hostile{name: "fifos for alternates and attributes", dir: "alternates"})
	for name, text := range map[string]string{"future": "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tfromTheFuture = true\n", "broken": "[broken\n"} {
		z.archive(name)
		z.put(name+"/.git/config", text+z.attack())
		z.add(hostile{name: "a configuration that only git can judge: " + name, dir: name})
	}
	z.archive("foreign")
	if os.Geteuid() == 0 {
		z.sh("chown -R 12345 foreign")
	}
	z.add(hostile{name: "somebody else's", dir: "foreign"})
	z.archive("super")
	z.archive("super/sub")
	z.sh("cd super; mkdir .git/modules; mv sub/.git .git/modules/sub; echo 'gitdir: ../.git/modules/sub' >sub/.git; git config -f .git/modules/sub/config core.worktree ../../../sub")
	z.add(hostile{name: "a submodule of a stranger's", dir: "super/sub", own: "super"})

	z.archive("r/nested")
	z.add(hostile{name: "an archive in the recorded work tree", dir: "r/nested", inside: true})
	z.archive("r/known")
	z.sh("git -C r add -f known 2>/dev/null; rm -f " + z.pwned)
	z.add(hostile{name: "an archive that the recorded repository knows", dir: "r/known", inside: true})
	z.add(hostile{name: "a bare layout among the files", dir: "r/docs/sample", inside: true, files: true})
	return z
}
