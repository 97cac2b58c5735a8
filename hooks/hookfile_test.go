package hooks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func ours(hook string, k kind) string {
	return string(part{hook: hook, kind: k, binary: "/bin/git-trace", next: asideWord(hook + asideSuffix)}.file(plainShebang))
}

func TestAHookIsReadAsGitSeesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	script, long := foreign("post-commit"), "#!/bin/sh\n"+strings.Repeat("#", readLimit)
	full := long[:readLimit]
	w.write(filepath.Join(w.base, "aside"), script, 0o755)
	for name, test := range map[string]struct {
		make func(path string)
		want hookFile
		kind kind
		join kind
	}{
		"missing":        {func(string) {}, hookFile{}, "", chain},
		"a script":       {func(p string) { w.write(p, script, 0o755) }, hookFile{exists: true, runs: true, mode: 0o755, content: []byte(script)}, "", insert},
		"of the owner":   {func(p string) { w.write(p, script, 0o700) }, hookFile{exists: true, runs: true, mode: 0o700, content: []byte(script)}, "", insert},
		"of the group":   {func(p string) { w.write(p, script, 0o450) }, hookFile{exists: true, runs: true, mode: 0o450, content: []byte(script)}, "", insert},
		"switched off":   {func(p string) { w.write(p, script, 0o644) }, hookFile{exists: true, mode: 0o644, content: []byte(script)}, "", chain},
		"another script": {func(p string) { w.write(p, "#!/usr/bin/awk\n", 0o755) }, hookFile{exists: true, runs: true, mode: 0o755, content: []byte("#!/usr/bin/awk\n")}, "", chain},
		"ours":           {func(p string) { w.write(p, ours("post-commit", own), 0o755) }, hookFile{exists: true, runs: true, mode: 0o755, content: []byte(ours("post-commit", own))}, own, insert},
		"a long one":     {func(p string) { w.write(p, full, 0o755) }, hookFile{exists: true, runs: true, mode: 0o755, content: []byte(full)}, "", insert},
		"too long":       {func(p string) { w.write(p, long, 0o755) }, hookFile{exists: true, runs: true, mode: 0o755, long: true}, "", chain},
		"a link":         {func(p string) { w.link("../../../aside", p) }, hookFile{exists: true, runs: true, mode: 0o777, link: "../../../aside", content: []byte(script)}, "", source},
		"a link to ours": {func(p string) {
			w.write(filepath.Join(w.base, "ours"), ours("post-commit", own), 0o755)
			w.link("../../../ours", p)
		}, hookFile{exists: true, runs: true, mode: 0o777, link: "../../../ours", content: []byte(ours("post-commit", own))}, "", source},
		"a link to nothing": {func(p string) { w.link("../../../nothing", p) }, hookFile{exists: true, mode: 0o777, link: "../../../nothing"}, "", chain},
		"a directory": {func(p string) {
			if err := os.Mkdir(p, 0o700); err != nil {
				t.Fatal(err)
			}
		}, hookFile{exists: true, blocked: true, mode: 0o700}, "", chain},
	} {
		path := w.hook("post-commit")
		_ = os.RemoveAll(path)
		test.make(path)
		got, err := readHook(path)
		test.want.path = path
		if b := got.block; err != nil || (b == nil) != (test.kind == "") || b != nil && b.kind != test.kind {
			t.Errorf("%s: the block is %+v, %v", name, b, err)
		}
		if got.joinKind() != test.join {
			t.Errorf("%s: joined by %s", name, got.joinKind())
		}
		got.block = nil
		if string(got.content) != string(test.want.content) {
			t.Errorf("%s: %d bytes", name, len(got.content))
		}
		got.content, test.want.content = nil, nil
		if w := test.want; got.path != w.path || got.exists != w.exists || got.blocked != w.blocked || got.link != w.link ||
			got.runs != w.runs || got.mode != w.mode && w.link == "" || got.long != w.long {
			t.Errorf("%s: %+v, want %+v", name, got, w)
		}
	}
	w.write(w.hook("post-merge"), marks.Begin+"\n", 0o755)
	if _, err := readHook(w.hook("post-merge")); !errors.Is(err, ErrDamaged) {
		t.Errorf("a block without an end: %v", err)
	}
	if _, err := readHook(filepath.Join(w.hook("post-merge"), "x")); err == nil {
		t.Error("what is below a file is read as missing")
	}
}

func TestTwoNamesOfOneFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := func(name string) string { return filepath.Join(w.base, name) }
	w.write(at("a"), "text", 0o644)
	w.write(at("equal"), "text", 0o644)
	w.write(at("other"), "tixt", 0o644)
	w.write(at("longer"), "text and more", 0o644)
	w.write(at("runs"), "text", 0o755)
	w.link("a", at("link"))
	w.link("a", at("second link"))
	if err := os.Link(at("other"), at("hard")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"a", "a", true}, {"a", "equal", true}, {"other", "hard", true}, {"a", "other", false}, {"a", "longer", false}, {"a", "runs", false},
		{"a", "link", false}, {"link", "second link", false}, {"link", "link", true}, {"a", "none", false}, {"none", "a", false}, {"none", "none", false},
		{"work", "work", true}, {"a", "work", false},
	} {
		if got := sameFile(at(test.a), at(test.b)); got != test.want {
			t.Errorf("%s and %s: %v", test.a, test.b, got)
		}
	}
	if sameFile(at("a"), "") {
		t.Error("no name is one of a file")
	}
}

func TestWhereAHookThatLooksAtItsPathMovesTo(t *testing.T) {
	t.Parallel()
	const byName, beside = asideDir + "/h", "h" + asideSuffix
	for text, want := range map[string]string{
		"#!/usr/bin/env python3\n": beside, "\x00": byName, "$0": byName, "$0 dirname": beside, "$0 dirname basename": byName, "dirname": beside,
	} {
		if got := (hookFile{path: "/x/h", runs: true, content: []byte(text)}).asideName(); got != want {
			t.Errorf("%q moves to %s", text, got)
		}
		if got := (hookFile{path: "/x/h", content: []byte(text)}).asideName(); got != beside {
			t.Errorf("switched off, %q moves to %s", text, got)
		}
	}
	if got := (hookFile{path: "/x/h", runs: true, long: true}).asideName(); got != byName {
		t.Errorf("a long one moves to %s", got)
	}
}

func TestLinksAreAdaptedWhenTheyMove(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ link, from, to, want string }{
		{"x", "/h/a", "/h/b", "x"}, {"../x", "/h/a", "/h/s/a", "../../x"}, {"../../x", "/h/s/a", "/h/a", "../x"}, {"x", "/h/s/a", "/h/a", "x"},
		{"/x", "/h/a", "/h/s/a", "/x"}, {"/x", "/h/s/a", "/h/a", "/x"},
	} {
		if got := moveLink(test.link, test.from, test.to); got != test.want {
			t.Errorf("%s from %s to %s is %s", test.link, test.from, test.to, got)
		}
	}
}

func TestOurPartDoesWhatItsHookAndItsKindAsk(t *testing.T) {
	t.Parallel()
	for _, hook := range append(all(), "commit-msg") {
		for _, k := range []kind{own, insert, chain, source, forward} {
			for _, binary := range []string{"", "/bin/git-trace"} {
				text := string(part{hook: hook, kind: k, binary: binary, next: "NEXT"}.text())
				fed := hook == "post-rewrite" && k != own
				for what, want := range map[string]bool{
					"git-hook " + hook + " ":           binary != "",
					"git_trace_bin='/bin/git-trace'\n": binary != "",
					"--git-trace-fed":                  binary != "" && fed,
					"GITTRACE_GIT_PID=$PPID":           binary != "" && (hook == "post-applypatch" || hook == PushHook),
					"} </dev/null >/dev/null":          binary != "" && hook != "post-rewrite",
					"} >/dev/null":                     binary != "" && hook == "post-rewrite",
					"git_trace_next=NEXT\n":            k == chain || k == forward || k == source,
					"exec \"$git_trace_next\"":         k == chain || k == forward,
					". \"$git_trace_next\"":            k == source,
					marks.Begin + "\n# version 4, " + string(k) + ": put here": true,
					"\n" + marks.End + "\n": true,
				} {
					if got := strings.Contains(text, what); got != want {
						t.Errorf("%s, %s, by %q: has %q is %v", hook, k, binary, what, got)
					}
				}
			}
		}
	}
}

func TestWhatABlockSaysOfItself(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]block{
		"# version 4, insert: put here": {kind: insert, version: 4}, "# version 12, chain: x": {kind: chain, version: 12},
		"# version x, insert: y": {kind: own}, "version 4, insert: y": {kind: own}, "": {kind: own}, "# version 4, new": {kind: "new", version: 4},
	} {
		if version, k := parseHead(line); k != want.kind || version != want.version {
			t.Errorf("%q: %d, %s", line, version, k)
		}
	}
}

func TestABlockGoesBehindTheFirstLineOfAScript(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"#!/bin/sh\necho\n": "#!/bin/sh\nB\necho\n", "echo\n": "B\necho\n", "": "B\n", "# x\n#!/bin/sh\n": "B\n# x\n#!/bin/sh\n",
	} {
		if got := string(insertBlock([]byte(script), []byte("B\n"))); got != want {
			t.Errorf("%q became %q", script, got)
		}
	}
}

func TestWhoCallsGitTraceByHand(t *testing.T) {
	t.Parallel()
	const call = "git-trace git-hook post-merge \"$@\""
	for name, test := range map[string]struct {
		f    hookFile
		want bool
	}{
		"the call":          {hookFile{exists: true, runs: true, content: []byte(call)}, true},
		"of another hook":   {hookFile{exists: true, runs: true, content: []byte("git-trace git-hook post-commit")}, false},
		"another program":   {hookFile{exists: true, runs: true, content: []byte("other git-hook post-merge")}, false},
		"no call":           {hookFile{exists: true, runs: true, content: []byte("git-trace status")}, false},
		"switched off":      {hookFile{exists: true, content: []byte(call)}, false},
		"nothing there yet": {hookFile{runs: true, content: []byte(call)}, false},
	} {
		test.f.path = "/h/post-merge"
		if got := byHand(test.f); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWhatIsWrittenAndRemovedIsPutBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := func(name string) string { return filepath.Join(w.base, "f", name) }
	w.write(at("file"), "text", 0o640)
	w.write(at("runs"), "text", 0o755)
	w.link("file", at("link"))
	w.link("nothing", at("broken"))
	before := picture(t, w.base)
	for _, name := range []string{"file", "runs", "link", "broken", "none"} {
		write := &writeFile{path: at(name), data: []byte("ours"), mode: 0o751}
		must(t, write.Apply())
		if info, err := os.Lstat(at(name)); err != nil || info.Mode() != 0o751 || w.read(at(name)) != "ours" {
			t.Errorf("%s is %v, %v", name, info, err)
		}
		must(t, write.Revert())
		samePicture(t, "writing "+name, before, picture(t, w.base))
		remove := &removeFile{path: at(name)}
		must(t, remove.Apply())
		if present(at(name)) {
			t.Errorf("%s is left", name)
		}
		must(t, remove.Revert())
		samePicture(t, "removing "+name, before, picture(t, w.base))
		if name == "none" {
			continue
		}
		aside := &setAside{from: at(name), to: at(name + ".aside")}
		must(t, aside.Apply())
		must(t, aside.Apply()) // it stands there already
		must(t, aside.Revert())
		samePicture(t, "setting aside "+name, before, picture(t, w.base))
		must(t, aside.Apply())
		must(t, (&putBack{from: at(name + ".aside"), to: at(name)}).Apply()) // nothing of ours took its place
		samePicture(t, "putting back at once "+name, before, picture(t, w.base))
		must(t, aside.Apply())
		text, mode := picture(t, at(name)), before[filepath.Join("f", name)]
		must(t, (&writeFile{path: at(name), data: []byte("ours"), mode: 0o755}).Apply())
		between := picture(t, w.base)
		back := &putBack{from: at(name + ".aside"), to: at(name)}
		must(t, back.Apply())
		samePicture(t, "putting back "+name, before, picture(t, w.base))
		must(t, back.Revert())
		samePicture(t, "taking back "+name, between, picture(t, w.base))
		must(t, back.Apply())
		if len(text) != 1 || mode == "" {
			t.Errorf("%s: %v", name, text)
		}
	}
	gone := &setAside{from: at("none"), to: at("x")}
	if err := gone.Apply(); !errors.Is(err, fs.ErrNotExist) || gone.Revert() != nil {
		t.Errorf("what is not there is set aside: %v", err)
	}
	dirs := &makeDir{path: at("a/b/c")}
	must(t, os.Mkdir(at("a"), 0o755))
	must(t, dirs.Apply())
	if !slices.Equal(dirs.made, []string{at("a/b/c"), at("a/b")}) || !present(at("a/b/c")) {
		t.Errorf("made %q", dirs.made)
	}
	must(t, dirs.Revert())
	if present(at("a/b")) || !present(at("a")) {
		t.Error("other directories are gone than were made")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
