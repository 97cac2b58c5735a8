package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/internal/testing/testenv"
	"github.com/git-trace/git-trace/refs"
)

func (b *sandbox) engine() *Engine {
	b.Helper()
	e, err := Open(context.Background(), b.repo, filepath.Join(b.repo.WorktreeTracesDir(), "state"))
	b.must(err)
	return e
}

func (b *sandbox) full(e *Engine) Snapshot {
	b.Helper()
	snap, err := e.Full(context.Background())
	b.must(err)
	return snap
}

func (b *sandbox) scoped(e *Engine, paths ...string) Snapshot {
	b.Helper()
	snap, err := e.Scoped(context.Background(), paths)
	b.must(err)
	return snap
}

func TestTheUsersRepositoryStaysAsItIs(t *testing.T) {
	t.Parallel()
	for _, byGit := range []bool{false, true} {
		t.Run(fmt.Sprintf("by git %v", byGit), func(t *testing.T) {
			t.Parallel()
			b := newSandbox(t)
			b.write("a", "1\n")
			b.write("b", "1\n")
			b.write("c.txt", "1\r\n")
			b.write(".gitattributes", "*.txt text\n")
			b.commit("one")
			b.write("a", "stashed\n")
			b.git("stash", "-q")
			b.write("a", "2\n")
			b.git("add", "a")
			b.write("a", "3\n")
			b.write("new", "n\n")
			b.git("add", "-N", "new")
			b.write("untracked", "u\n")
			b.remove("b")
			hooks := filepath.Join(b.repo.GitDir, "hooks")
			b.must(os.MkdirAll(hooks, 0o755))
			b.must(os.WriteFile(filepath.Join(hooks, "post-index-change"), []byte("#!/bin/sh\ntouch hook-ran\n"), 0o755))
			before := b.userState()
			e := b.engine()
			e.git = byGit
			for i := range 3 {
				b.full(e)
				b.write("c.txt", fmt.Sprintf("%d\r\n", i))
				b.scoped(e, "c.txt", "gone", "b")
				b.full(e)
				b.must(e.Save())
			}
			b.write("c.txt", "1\r\n")
			after := b.userState()
			for name, was := range before {
				if is := after[name]; is != was {
					t.Errorf("%s changed:\n%s\nwas\n%s", name, is, was)
				}
			}
			b.git("fsck", "--full", "--strict")
		})
	}
}

// userState is what a user can see of a repository.
func (b *sandbox) userState() map[string]string {
	b.Helper()
	index := filepath.Join(b.repo.GitDir, "index")
	info, err := os.Stat(index)
	b.must(err)
	data, err := os.ReadFile(index)
	b.must(err)
	sum := sha256.Sum256(data)
	var files []string
	b.must(filepath.WalkDir(b.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == filepath.Join(b.dir, ".git", "traces") {
			return filepath.SkipDir
		}
		files = append(files, path)
		return nil
	}))
	state := map[string]string{
		"index bytes": hex.EncodeToString(sum[:]), "index time": info.ModTime().String(), "files": strings.Join(files, "\n"),
	}
	for _, args := range [][]string{{"rev-parse", "HEAD"}, {"symbolic-ref", "HEAD"}, {"stash", "list"}, {"for-each-ref"}, {"count-objects", "-v"}} {
		state["git "+args[0]] = b.git(args...)
	}
	state["git status"] = b.git("--no-optional-locks", "status", "--porcelain=v2", "-uall")
	return state
}

func TestAFileEditedAgainWithinOneTickIsSeen(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("d/f", "000000\n")
	b.commit("one")
	e := b.engine()
	b.full(e)
	f, err := os.OpenFile(b.path("d/f"), os.O_WRONLY, 0)
	b.must(err)
	defer func() { _ = f.Close() }()
	rounds := 1000
	if testenv.Quick() {
		rounds = 300
	}
	for i := range rounds {
		text := fmt.Sprintf("%06d\n", i)
		_, err := f.WriteAt([]byte(text), 0)
		b.must(err)
		if i%3 == 0 {
			b.full(e)
		} else {
			b.scoped(e, "d/f")
		}
		got, _ := e.Lookup("d/f")
		if want := b.repo.Format.Hash(refs.BlobObject, []byte(text)); got.OID != want {
			t.Fatalf("round %d: %s, want %s", i, got.OID, want)
		}
	}
}

func TestANameAddedWithinOneTickIsSeen(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("d/f", "0\n")
	e := b.engine()
	for i := range 200 {
		name := fmt.Sprintf("d/n%d", i)
		b.write(name, "x\n")
		b.full(e)
		if _, ok := e.Lookup(name); !ok {
			t.Fatalf("round %d: not seen", i)
		}
		b.remove(name)
		b.full(e)
		if _, ok := e.Lookup(name); ok {
			t.Fatalf("round %d: still there", i)
		}
	}
}

func TestADirectoryThatJustChangedIsReadAgain(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("d/f", "0\n")
	info, err := os.Stat(b.path("d"))
	b.must(err)
	e := b.engine()
	e.now = info.ModTime // however long it really took to come here
	b.full(e)
	if d := e.root.descend("d"); d.flags&dirRacy == 0 {
		t.Error("it is trusted although a name may come within the tick")
	}
	e.now = func() time.Time { return time.Now().Add(time.Hour) }
	b.full(e)
	if d := e.root.descend("d"); d.flags&dirRacy != 0 {
		t.Error("an hour later it is still not trusted")
	}
}

func TestNothingIsReadOrWrittenWhenNothingChanged(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("a", "a\n")
	b.write("d/b", "b\n")
	b.commit("one")
	e := b.engine()
	e.now = func() time.Time { return time.Now().Add(time.Hour) } // no stamp is racy
	b.full(e)
	b.must(e.Save())
	again := b.engine()
	again.now = e.now
	snap := b.full(again)
	if len(snap.Changes) != 0 || again.changed {
		t.Errorf("changes %v, state changed %v", snap.Changes, again.changed)
	}
}

func TestIgnoredFilesAreNeverRead(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write(".gitignore", ".env\nsecret/\n")
	b.write(".env", "TOKEN=1\n")
	b.write("secret/key", "TOKEN=2\n")
	b.write("seen", "x\n")
	for _, byGit := range []bool{false, true} {
		e := b.engine()
		e.git = byGit
		b.full(e)
		b.scoped(e, ".env", "secret/key", "secret", "seen")
	}
	for _, text := range []string{"TOKEN=1\n", "TOKEN=2\n"} {
		oid := b.repo.Format.Hash(refs.BlobObject, []byte(text))
		if _, _, err := refs.ReadLoose(b.repo.SideObjects(), oid); err == nil {
			t.Errorf("%q is in the side store", text)
		}
	}
}

func TestARequiredFilterThatFailsCostsItsPathsOnly(t *testing.T) {
	t.Parallel()
	for _, byGit := range []bool{false, true} {
		t.Run(fmt.Sprintf("by git %v", byGit), func(t *testing.T) {
			t.Parallel()
			b := newSandbox(t)
			b.write("tracked.bin", "committed\n")
			b.write("a", "a\n")
			b.commit("one")
			b.write(".gitattributes", "*.bin filter=lfs\n")
			b.git("config", "filter.lfs.clean", "/nonexistent/git-lfs clean")
			b.git("config", "filter.lfs.required", "true")
			var lost []string
			for i := range 7 {
				name := fmt.Sprintf("new file %d.bin", i)
				b.write(name, name)
				lost = append(lost, name)
			}
			b.write("tracked.bin", "changed\n")
			b.write("a", "aa\n")
			lost = append(lost, "tracked.bin")
			e := b.engine()
			e.git = byGit
			snap := b.full(e)
			if !slices.Equal(snap.Skipped, lost) {
				t.Errorf("skipped %q, want %q", snap.Skipped, lost)
			}
			got := b.sideGit("ls-tree", "-r", "--name-only", snap.Tree.String())
			if want := ".gitattributes\na\ntracked.bin\n"; got != want {
				t.Errorf("tree has %q, want %q", got, want)
			}
			committed := b.repo.Format.Hash(refs.BlobObject, []byte("committed\n"))
			if entry, _ := e.Lookup("tracked.bin"); entry.OID != committed {
				t.Errorf("tracked.bin is %s, want the committed content %s", entry.OID, committed)
			}
			b.write("a", "aaa\n")
			again := b.full(e)
			if len(again.Changes) != 1 || !slices.Equal(again.Skipped, lost) {
				t.Errorf("then changes %v, skipped %q", again.Changes, again.Skipped)
			}
			scoped := b.scoped(e, "tracked.bin", "new file 0.bin")
			if scoped.Tree != again.Tree {
				t.Errorf("scoped tree %s, want %s", scoped.Tree, again.Tree)
			}
			b.git("config", "filter.lfs.clean", "cat")
			fixed := b.full(e)
			if len(fixed.Skipped) != 0 || fixed.Tree.String() != b.wantTree() {
				t.Errorf("with the filter back: skipped %q, tree %s", fixed.Skipped, fixed.Tree)
			}
		})
	}
}

func TestAFileThatCannotBeEncodedCostsItselfOnly(t *testing.T) {
	t.Parallel()
	for _, byGit := range []bool{false, true} {
		b := newSandbox(t)
		b.write(".gitattributes", "*.u16 working-tree-encoding=UTF-16\n*.le working-tree-encoding=UTF-16LE\n")
		b.write("no 'mark'.u16", "h\x00i\x00")
		b.write("with mark.le", "\xff\xfeh\x00")
		b.write("half.u16", "\xff\xfeh\x00\x00\xd8\n")
		b.write("good.le", "h\x00i\x00")
		e := b.engine()
		e.git = byGit
		snap := b.full(e)
		if want := []string{"half.u16", "no 'mark'.u16", "with mark.le"}; !slices.Equal(snap.Skipped, want) {
			t.Errorf("by git %v: skipped %q, want %q", byGit, snap.Skipped, want)
		}
		if got := b.sideGit("ls-tree", "--name-only", snap.Tree.String()); got != ".gitattributes\ngood.le\n" {
			t.Errorf("by git %v: tree has %q", byGit, got)
		}
		b.write("half.u16", "\xff\xfeh\x00i\x00")
		b.scoped(e, "half.u16", "with mark.le", "nowhere")
		if _, ok := e.Lookup("half.u16"); !ok {
			t.Errorf("by git %v: a mended file is not taken", byGit)
		}
		b.write("with mark.le", "h\x00i\x00")
		snap = b.full(e)
		if _, ok := e.Lookup("with mark.le"); !ok || !slices.Equal(snap.Skipped, []string{"no 'mark'.u16"}) {
			t.Errorf("by git %v: another mended file: skipped %q", byGit, snap.Skipped)
		}
	}
}

func TestACancelledSnapshotLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("a", "a\n")
	e := b.engine()
	first := b.full(e)
	b.must(e.Save())
	b.write("a", "b\n")
	b.write("c/d", "c\n")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Full(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	b.must(e.Save())
	if tree := b.engine().Tree(); tree != first.Tree {
		t.Errorf("saved tree %s, want %s", tree, first.Tree)
	}
	snap := b.full(e)
	if len(snap.Changes) != 2 || snap.Tree.String() != b.wantTree() {
		t.Errorf("after it: changes %v", snap.Changes)
	}
}

func TestADamagedStateStartsAnew(t *testing.T) {
	t.Parallel()
	b := newSandbox(t)
	b.write("a", "a\n")
	e := b.engine()
	snap := b.full(e)
	b.must(e.Save())
	data, err := os.ReadFile(e.path)
	b.must(err)
	for name, bad := range map[string][]byte{"empty": {}, "cut off": data[:len(data)/2], "one bit": flip(data), "text": []byte("hello")} {
		b.must(os.WriteFile(e.path, bad, 0o600))
		again := b.full(b.engine())
		if !again.Seeded || again.Tree != snap.Tree {
			t.Errorf("%s: seeded %v, tree %s", name, again.Seeded, again.Tree)
		}
	}
	b.must(os.WriteFile(e.path, data, 0o600))
	b.must(os.RemoveAll(b.repo.SideObjects()))
	if again := b.full(b.engine()); !again.Seeded {
		t.Error("without its objects a state must not be trusted")
	}
	b.sideGit("rev-list", "--objects", "--quiet", snap.Tree.String())
}

func flip(data []byte) []byte {
	out := slices.Clone(data)
	out[len(out)/2] ^= 1
	return out
}

func TestALargeFileIsHashedInBoundedMemory(t *testing.T) {
	if testenv.Quick() {
		t.Skip("hashes 300 MB")
	}
	b := newSandbox(t) // not parallel: it measures what is allocated
	b.write("big", "")
	b.must(os.Truncate(b.path("big"), 300<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e := b.engine()
	b.full(e)
	runtime.ReadMemStats(&after)
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 32 {
		t.Errorf("%d MiB allocated", used)
	}
	entry, _ := e.Lookup("big")
	if want := b.git("hash-object", "big"); entry.OID.String() != want {
		t.Errorf("%s, want %s", entry.OID, want)
	}
}

func TestABareRepositoryIsRefused(t *testing.T) {
	t.Parallel()
	repo := &refs.Repo{GitDir: t.TempDir(), CommonDir: t.TempDir()}
	if _, err := Open(context.Background(), repo, filepath.Join(t.TempDir(), "state")); !errors.Is(err, refs.ErrBare) {
		t.Errorf("error %v", err)
	}
}
