package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/testing/testenv"
)

// No history makes a reading command panic or end. Of a history with everything in it that git allows, whole or cut off, each command
// tells what is known. What it left out stands in one line on standard error.
func TestNoHistoryEndsAReadingCommand(t *testing.T) {
	t.Parallel()
	w := recordedTwin(t)
	w.agent("S2", "pre", "write", "q.py", strings.Join(oddLines[:3], `\n`)+`\n`)
	w.put("q.py", strings.Join(oddLines[:3], "\n")+"\n")
	w.agent("S2", "did", "write", "q.py", strings.Join(oddLines[:3], `\n`)+`\n`)
	w.must("git", "add", "q.py")
	w.must("git", "commit", "-qam", "by an agent, with a file more")
	w.growOdd(500)
	for name, change := range map[string]struct {
		do     func(w *twin)
		leaves bool // some answers lack something
	}{
		"whole":   {do: func(*twin) {}},
		"shallow": {do: func(w *twin) { w.thin("--depth=30") }, leaves: true},
		"grafted": {do: func(w *twin) {
			w.must("sh", "-c", "set -- $(git rev-list --max-count=40 HEAD); shift 5; mkdir -p .git/info; "+
				"echo $1 ${10} ${20} >.git/info/grafts; echo ${12} >>.git/info/grafts; echo $2 0000000000000000000000000000000000000001 >>.git/info/grafts")
		}},
		"replaced": {do: func(w *twin) {
			w.must("sh", "-c", "set -- $(git rev-list --max-count=60 HEAD); git replace -f $3 ${30}; git replace -f $9 ${50}; "+
				"git replace -f HEAD~20^{tree} HEAD~40^{tree}; git replace -f HEAD:q.py HEAD:a")
		}},
		"without commits": {do: func(w *twin) { w.lose("git rev-list HEAD~3 --not HEAD~150", 25) }, leaves: true},
		"without trees":   {do: func(w *twin) { w.lose(oddObjects("tree"), 25) }, leaves: true},
		"without files":   {do: func(w *twin) { w.lose(oddObjects("blob"), 9) }, leaves: true},
		"blobless":        {do: func(w *twin) { w.thin("--filter=blob:none") }, leaves: true},
		"treeless":        {do: func(w *twin) { w.thin("--filter=tree:0") }, leaves: true},
		"a damaged pack":  {do: func(w *twin) { w.damagePack() }, leaves: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := filepath.Join(testenv.TempDir(t), "copy")
			if out, err := exec.Command("cp", "-R", w.base, base).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			odd := &twin{t: t, base: base, dir: filepath.Join(base, "work"), env: slices.Clone(w.env)}
			odd.env[0] = "HOME=" + filepath.Join(base, "home")
			change.do(odd)
			left := odd.readOdd(name == "whole")
			if (left > 0) != change.leaves {
				t.Errorf("%d commands left something out", left)
			}
		})
	}
}

// readOdd runs the commands that show something, in their first forms or in all, and gives how many left something out.
func (w *twin) readOdd(all bool) (left int) {
	w.t.Helper()
	for name, forms := range readings("S2") {
		if !all {
			forms = forms[:1]
		}
		for _, args := range forms {
			cmd := exec.Command(filepath.Join(w.base, "bin", "git-trace"), args...)
			var out, said bytes.Buffer
			cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.dir, w.env, &out, &said
			err := cmd.Run() // status 1: nothing was found
			told := said.String()
			if strings.Contains(told, "left out") {
				left++
			}
			unchecked := name == "check" && cmd.ProcessState.ExitCode() == exit.Unchecked && strings.Contains(told, "nothing was checked")
			if code := cmd.ProcessState.ExitCode(); code > 1 && name != "verify" && !unchecked || code < 0 || strings.Contains(told, "goroutine") || strings.Count(told, "left out") > 1 {
				w.t.Errorf("%q: %v\n%s", args, err, told[:min(len(told), 600)])
			}
		}
	}
	return left
}

// oddLines are lines that agents wrote, and others.
var oddLines = []string{"value_one = compute(1)", "value_two = compute(2)", "value_three = compute(3)", "by the agent", "a line of somebody",
	"", "another line of somebody", "agent", "}"}

// growOdd lays commits over HEAD that no hook hears of: merges of two and more parents whose entries differ from all of
// them in each way, and all kinds of entries and changes in between.
func (w *twin) growOdd(commits int) {
	w.t.Helper()
	random := rand.New(rand.NewPCG(44, 1))
	var in bytes.Buffer
	text := func() string {
		var out strings.Builder
		for range random.IntN(6) {
			out.WriteString(oddLines[random.IntN(len(oddLines))] + "\n")
		}
		return out.String()
	}
	blob := func(mode, path, content string) {
		fmt.Fprintf(&in, "M %s inline %s\ndata %d\n%s\n", mode, path, len(content), content)
	}
	paths := []string{"a", "q.py", "agent.txt", "dir/__init__.py", "dir/x", "\"sp ace\\tand \\303\\274\"", "new"}
	entry := []func(path string){
		func(path string) { blob("100644", path, text()) },
		func(path string) { blob("100644", path, "") },
		func(path string) { fmt.Fprintf(&in, "D %s\n", path) },
		func(path string) { blob("100755", path, text()) },
		func(path string) { blob("100644", path, "\x00binary\x00"+text()) },
		func(path string) { blob("120000", path, "target of a link") },
		func(path string) { fmt.Fprintf(&in, "M 160000 %040d %s\n", 1+random.IntN(9), path) },
		func(path string) { blob("100644", path, "no line feed at the end") },
		func(path string) { blob("100644", path, "carriage\r\n"+text()) },
		func(path string) {
			fmt.Fprintf(&in, "D %s\n", path)
			blob("100644", "renamed", text()+"kept\nkept too\n")
		},
		func(path string) {
			fmt.Fprintf(&in, "D dir\n")
			blob("100644", "dir", "a file where a directory was\n")
		},
		func(path string) {
			fmt.Fprintf(&in, "D dir\n")
			blob("100644", "dir/"+fmt.Sprint(random.IntN(3)), text())
		},
	}
	for i := 1; i <= commits; i++ {
		var parents string
		kind := "plain"
		switch {
		case i == 1:
			parents = "from refs/heads/main^0\n"
		case i > 10 && i%7 == 0:
			kind, parents = "octopus", fmt.Sprintf("from :%d\nmerge :%d\nmerge :%d\nmerge :%d\n", i-1, i-3, i-5, i-8)
		case i > 10 && i%3 == 0:
			kind, parents = "merge", fmt.Sprintf("from :%d\nmerge :%d\n", i-1, i-2-random.IntN(6))
		case i > 10 && i%97 == 0:
			kind, parents = "unrelated", fmt.Sprintf("from :%d\nmerge refs/heads/topic^0\n", i-1)
		case i > 10 && i%5 == 0:
			kind, parents = "side", fmt.Sprintf("from :%d\n", i-4)
		default:
			parents = fmt.Sprintf("from :%d\n", i-1)
		}
		message := fmt.Sprintf("%s %d", kind, i)
		if i%31 == 0 {
			message = ""
		}
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\n", i)
		fmt.Fprintf(&in, "author Somebody <s@example.com> %d +0000\ncommitter Somebody <s@example.com> %d +0000\n", 1793700000+60*i, 1793700000+60*i)
		fmt.Fprintf(&in, "data %d\n%s\n%s", len(message), message, parents)
		if kind == "side" { // the branch goes on from here, and takes in what it left with the next merge
			fmt.Fprintf(&in, "merge :%d\n", i-1)
		}
		if i%23 == 0 {
			continue // nothing changed
		}
		for n := range 1 + random.IntN(3) {
			entry[(i+n*5)%len(entry)](paths[random.IntN(len(paths))])
		}
	}
	blobsAtTheEnd := func() {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter Somebody <s@example.com> 1793800000 +0000\ndata 3\nend\n")
		blob("100644", "a", strings.Join(oddLines, "\n")+"\n")
		blob("100644", "q.py", strings.Join(oddLines[:3], "\n")+"\nand one more\n")
	}
	blobsAtTheEnd()
	cmd := exec.Command("git", "-c", "fastimport.unpackLimit=1000000", "fast-import", "--quiet", "--force")
	cmd.Dir, cmd.Env, cmd.Stdin = w.dir, w.env, &in
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	w.must("git", "-c", "core.hooksPath=/dev/null", "reset", "-q", "--hard")
}

// thin puts the objects of a clone in the place of the repository's, and takes the remote away.
func (w *twin) thin(how string) {
	w.t.Helper()
	w.must("git", "push", "-q", "-f", "../remote.git", "main")
	for _, name := range []string{"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"} {
		w.must("git", "-C", "../remote.git", "config", name, "true")
	}
	w.must("git", "clone", "-q", "--single-branch", "--branch", "main", how, "file://"+filepath.Join(w.base, "remote.git"), "../thin")
	// What only this clone has is packed beside it.
	w.must("sh", "-c", "git rev-list --objects --all --not main | git pack-objects -q ../thin/.git/objects/pack/pack")
	w.must("rm", "-rf", ".git/objects")
	w.must("mv", "../thin/.git/objects", ".git/objects")
	if _, err := os.Stat(filepath.Join(w.base, "thin/.git/shallow")); err == nil {
		w.must("mv", "../thin/.git/shallow", ".git/shallow")
	}
	w.must("git", "config", "remote.origin.url", "file:///nowhere")
}

// oddObjects lists the objects of one kind that older commits have, and the youngest ones do not.
func oddObjects(kind string) string {
	return "git rev-list --objects --no-object-names HEAD~3 --not HEAD~150 >../older; " +
		"for c in HEAD HEAD~1 HEAD~2; do git rev-parse $c^{tree}; git ls-tree -rt --format='%(objectname)' $c; done >../young; " +
		"grep -v -F -x -f ../young ../older | git cat-file --batch-check | awk '$2 == \"" + kind + "\" {print $1}'"
}

// lose removes every nth of the listed objects, as a damaged disk does.
func (w *twin) lose(list string, nth int) {
	w.t.Helper()
	w.must("sh", "-c", fmt.Sprintf("{ %s; } | sort | awk 'NR %% %d == 1' >../lost; test -s ../lost && ", list, nth)+
		"while read -r o; do rm -f .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-); done <../lost")
}

// damagePack puts all objects into one pack, and overwrites some bytes of it.
func (w *twin) damagePack() {
	w.t.Helper()
	w.must("git", "repack", "-q", "-a", "-d")
	w.must("git", "prune-packed")
	packs, err := filepath.Glob(filepath.Join(w.dir, ".git/objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		w.t.Fatalf("%v: %q", err, packs)
	}
	data, err := os.ReadFile(packs[0])
	if err != nil {
		w.t.Fatal(err)
	}
	for at := len(data) / 3; at < len(data)/2; at += 4000 {
		copy(data[at:], "damaged here")
	}
	if err := errors.Join(os.Remove(packs[0]), os.WriteFile(packs[0], data, 0o644)); err != nil {
		w.t.Fatal(err)
	}
}
