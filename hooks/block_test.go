package hooks

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestTheMarksAreFoundOnLinesOfTheirOwn(t *testing.T) {
	t.Parallel()
	b := part{hook: "post-commit", kind: insert, binary: "/x"}.text()
	cases := map[string]struct {
		file string
		rest string
		err  error
	}{
		"none":               {"#!/bin/sh\necho\n", "#!/bin/sh\necho\n", nil},
		"in the middle":      {"#!/bin/sh\n" + string(b) + "echo", "#!/bin/sh\necho", nil},
		"at the top":         {string(b), "", nil},
		"twice":              {string(b) + "a\n" + string(b) + "b\n", "a\nb\n", nil},
		"last line, no end":  {"a\n" + strings.TrimSuffix(string(b), "\n"), "a\n", nil},
		"other line ends":    {"a\r\n" + strings.ReplaceAll(string(b), "\n", "\r\n") + "b\r\n", "a\r\nb\r\n", nil},
		"quoted in a line":   {"echo '" + marks.Begin + "'\n", "echo '" + marks.Begin + "'\n", nil},
		"begin without end":  {"a\n" + marks.Begin + "\nb\n", "", ErrDamaged},
		"end without begin":  {"a\n" + marks.End + "\nb\n", "", ErrDamaged},
		"begin in the block": {marks.Begin + "\n" + marks.Begin + "\n" + marks.End + "\n", "", ErrDamaged},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rest, err := stripBlocks([]byte(c.file))
			if !errors.Is(err, c.err) || string(rest) != c.rest {
				t.Errorf("left %q, %v; want %q, %v", rest, err, c.rest, c.err)
			}
		})
	}
}

func TestABlockSaysWhatItIs(t *testing.T) {
	t.Parallel()
	for _, k := range []kind{own, insert, chain, source, forward} {
		p := part{hook: "post-rewrite", kind: k, binary: "/it's here/git-trace", next: asideWord("post-rewrite" + asideSuffix)}
		b, err := findBlock(p.file(plainShebang))
		if err != nil || b == nil || b.kind != k || b.version != version || b.binaryOf() != p.binary {
			t.Errorf("%s is read as %+v, %v", k, b, err)
		}
		if got := b.lineAfter("git_trace_next="); (k == chain || k == source || k == forward) != (got == p.next) {
			t.Errorf("%s hands over to %q", k, got)
		}
	}
}

func TestAScriptIsJoinedOnlyWhereThatIsSafe(t *testing.T) {
	t.Parallel()
	cases := map[string]bool{
		"#!/bin/sh\n": true, "#! /bin/sh -e\n": true, "#!/usr/bin/env bash\n": true, "#!/usr/bin/env -S bash -eu\n": true,
		"#!/usr/bin/env -S A=b zsh\n": true, "#!/bin/busybox sh\n": true, "#!/bin/dash -x\n": true, "echo\n": true, "": true,
		"#!/bin/bash --norc\n": true, "#!/bin/sh\n. \"$(dirname \"$0\")/h\"\n": true, "#!/bin/sh\nexec \"$(dirname -- \"$0\")/x\" \"$@\"\n": true,
		"#!/bin/sh\necho usage: $0 >&2\n": true, "#!/bin/sh\nexec \"${0%/*}/x\"\n": true,

		"#!/bin/sh": false, "#!/bin/sh\r\n": false, "#!/usr/bin/python3\n": false, "#!/usr/bin/env node\n": false, "#!\n": false, "#!/usr/bin/env\n": false,
		"#!/usr/bin/env -i sh\n": false, "#!/usr/bin/env -S\n": false, "#!/bin/sh -n\n": false, "#!/bin/bash -r\n": false, "#!/bin/rbash\n": false, "#!/usr/bin/fish\n": false, "#!/bin/csh\n": false,
		"#!/bin/busybox awk\n": false, "#!/bin/sh -s\n": false, "\xef\xbb\xbf#!/bin/sh\n": false, "#!/bin/sh\n\x00": false, "\x7fELF\x00": false, "\x00#!/bin/sh\n": false,
		"#!/bin/sh\nexec python3 \"$0\" \"$@\"\n": false, "#!/bin/sh\n\":\" //; exec node \"$0\" \"$@\"\n": false,
		"#!/bin/sh\ntail -n +5 \"$0\" | tar x\n": false, "#!/bin/sh\nsed 1,4d ${0} | sh\n": false, "#!/bin/bash\ntail -3 \"${BASH_SOURCE[0]}\"\n": false,
		"#!/bin/sh\nif x; then . \"$0\"; fi\n": false,
	}
	for text, want := range cases {
		if got := isShellScript([]byte(text)); got != want {
			t.Errorf("isShellScript(%q) = %v", text, got)
		}
	}
}

func TestAHookAsideKeepsThePartOfItsPathThatItUses(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"#!/usr/bin/env ruby\nhook_type = File.basename($0)\n":                        "git-trace-saved/post-commit",
		"#!/usr/bin/env python3\nHERE = os.path.dirname(__file__)\n":                  "post-commit.git-trace-saved",
		"#!/usr/bin/env python3\nHERE = os.path.dirname(sys.argv[0])\n":               "post-commit.git-trace-saved",
		"#!/usr/bin/env node\nrequire('./x')\n":                                       "post-commit.git-trace-saved",
		"\x7fELF\x00":                                                                 "git-trace-saved/post-commit",
		"#!/usr/bin/env perl\nuse File::Basename; print basename($0), dirname($0);\n": "git-trace-saved/post-commit",
	}
	for text, want := range cases {
		f := hookFile{path: "/h/post-commit", exists: true, runs: true, content: []byte(text)}
		if got := f.asideName(); got != want {
			t.Errorf("%q moves to %s, want %s", text, got, want)
		}
	}
}

func FuzzTakingOutRestoresTheScript(f *testing.F) {
	for _, seed := range []string{"", "#!/bin/sh\n", "#!/bin/sh\necho", "echo\n", "#!/bin/sh\r\n", "\n", "#", "#!", marks.Begin, marks.End + "\n"} {
		f.Add([]byte(seed))
	}
	text := part{hook: "post-commit", kind: insert, binary: "/x"}.text()
	f.Fuzz(func(t *testing.T, script []byte) {
		if b, err := findBlock(script); b != nil || err != nil || !isShellScript(script) {
			if b != nil && !bytes.Contains(script, b.text) {
				t.Errorf("block %q is not in %q", b.text, script)
			}
			return
		}
		joined := insertBlock(script, text)
		if !bytes.HasPrefix(joined, []byte(shebang(script))) {
			t.Errorf("%q does not begin as %q", joined, script)
		}
		rest, err := stripBlocks(joined)
		if err != nil || !bytes.Equal(rest, script) {
			t.Errorf("%q comes back as %q, %v", script, rest, err)
		}
	})
}

func FuzzReceipt(f *testing.F) {
	f.Add([]byte(`{"version":1,"binary":"/x","places":[{"dir":"hooks","made":["hooks"]}]}`))
	f.Add([]byte(`{"version":2}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r := decodeReceipt(data); r.Version != receiptVersion && !reflect.DeepEqual(r, receipt{}) {
			t.Errorf("%q is read as %+v", data, r)
		}
	})
}
