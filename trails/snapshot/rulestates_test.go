package snapshot

import (
	"os"
	"strings"
)

// ruleStories are about ignore rules, attributes and what else configuration decides.
func ruleStories() []story {
	return []story{
		{
			name: "nested ignore files",
			setup: func(b *sandbox) {
				b.write(".gitignore", "*.o\nbuild/\n!keep.o\n")
				b.write("d/.gitignore", "!x.o\n/y\n")
			},
			steps: []func(*sandbox){
				func(b *sandbox) {
					b.write("a.o", "o\n")
					b.write("keep.o", "k\n")
					b.write("d/x.o", "x\n")
					b.write("d/y", "y\n")
				},
				func(b *sandbox) { b.write("build/deep/f", "f\n"); b.write("d/build/g", "g\n"); b.write("d/e/y", "y\n") },
				func(b *sandbox) { b.remove("build"); b.write("build", "a file is not ignored\n") },
				func(b *sandbox) { b.remove("build"); b.write("build/f", "f\n") },
				func(b *sandbox) { b.remove("d/.gitignore") },
				func(b *sandbox) { b.write(".gitignore", "*.p\n") },
				func(b *sandbox) { b.commit("one"); b.write(".gitignore", "*\n") },
				func(b *sandbox) { b.write("untracked", "u\n"); b.write("a.o", "changed\n"); b.remove("keep.o") },
				func(b *sandbox) { b.write("keep.o", "back\n") },
			},
		},
		{
			name: "a file ignored after it was in a snapshot leaves it",
			setup: func(b *sandbox) {
				b.write("a", "a\n")
				b.commit("one")
				b.write(".env", "SECRET=1\n")
				b.write("s/.env", "x\n")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("b", "b\n") },
				func(b *sandbox) { b.write(".gitignore", ".env\n") },
				func(b *sandbox) { b.write(".env", "SECRET=2\n") },
				func(b *sandbox) { b.remove(".gitignore") },
			},
		},
		{
			name: "a tracked file stays although it is ignored",
			setup: func(b *sandbox) {
				b.write("out/a", "a\n")
				b.write("out/b/c", "c\n")
				b.write("x.log", "x\n")
				b.commit("one")
			},
			steps: []func(*sandbox){
				func(b *sandbox) {
					b.write(".gitignore", "out/\n*.log\n")
					b.write("out/new", "n\n")
					b.write("y.log", "y\n")
				},
				func(b *sandbox) { b.write("out/a", "changed\n"); b.write("out/b/d", "ignored\n") },
				func(b *sandbox) { b.remove("out/b/c") },
				func(b *sandbox) { b.write("out/b/c", "again\n"); b.remove("x.log") },
				func(b *sandbox) { b.write("x.log", "back\n") },
				func(b *sandbox) { b.git("rm", "-q", "--cached", "out/a", "x.log") },
				func(b *sandbox) { b.git("commit", "-qm", "two"); b.write("out/b/c", "more\n") },
				func(b *sandbox) { b.remove("out") },
				func(b *sandbox) { b.write("out/b/c", "more\n"); b.write("out/b/e", "e\n") },
				func(b *sandbox) { b.write(".gitignore", "nothing\n") },
			},
		},
		{
			name: "an ignored file enters when it is added by force",
			setup: func(b *sandbox) {
				b.write(".gitignore", "*.o\nout/\n")
				b.write("a.o", "a\n")
				b.write("out/x/y", "y\n")
				b.write("out/x/z", "z\n")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.git("add", "-f", "a.o") },
				func(b *sandbox) { b.git("add", "-f", "out/x/y") },
				func(b *sandbox) { b.write("out/x/y", "changed\n") },
				func(b *sandbox) { b.git("add", "-N", "-f", "out/x/z") },
				func(b *sandbox) { b.git("reset", "-q") },
				func(b *sandbox) { b.write("out/x/y", "changed again\n") },
			},
		},
		{
			name:  "rules outside the work tree",
			setup: func(b *sandbox) { b.write("a.tmp", "a\n"); b.write("b.swp", "b\n"); b.write("c", "c\n") },
			steps: []func(*sandbox){
				func(b *sandbox) { b.must(appendFile(b.path(".git/info/exclude"), "*.tmp\n")) },
				func(b *sandbox) {
					b.write("../excludes", "*.swp\n")
					b.git("config", "core.excludesFile", b.path("../excludes"))
				},
				func(b *sandbox) { b.write("../excludes", "*.tmp\n") },
				func(b *sandbox) { b.write("b.swp", "bb\n"); b.write("d.swp", "d\n") },
				func(b *sandbox) { b.git("config", "--unset", "core.excludesFile") },
				func(b *sandbox) { b.must(os.Remove(b.path(".git/info/exclude"))) },
				func(b *sandbox) {
					b.write("../included", "[core]\n\texcludesFile = ~/nowhere\n")
					b.git("config", "include.path", "../../included")
				},
				func(b *sandbox) { b.write("../included", "[core]\n\texcludesFile = "+b.path("../excludes")+"\n") },
			},
		},
		{
			name: "an ignore file that ignores itself",
			setup: func(b *sandbox) {
				b.write("venv/.gitignore", "*\n")
				b.write("venv/bin/python", "x\n")
				b.write("cache/.gitignore", ".gitignore\n*.c\n")
				b.write("cache/a.c", "a\n")
				b.write("cache/b", "b\n")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("cache/.gitignore", ".gitignore\nb\n") },
				func(b *sandbox) {
					b.write("cache/.gitattributes", "*.txt text\n")
					b.write("cache/.gitignore", ".gitignore\n.gitattributes\n")
				},
				func(b *sandbox) { b.git("add", "-f", "cache/.gitignore", "cache/.gitattributes") },
				func(b *sandbox) { b.write("cache/.gitignore", "z\n") },
				func(b *sandbox) { b.write("venv/.gitignore", "bin\n") },
				func(b *sandbox) { b.remove("venv/.gitignore") },
				func(b *sandbox) { b.symlink("../cache/.gitignore", "venv/.gitignore"); b.write("venv/z", "z\n") },
			},
		},
		{
			name: "ignoring by name kind",
			setup: func(b *sandbox) {
				b.write(".gitignore", "x/\n!y\ny/*\n")
				b.write("x", "file\n")
				b.write("y/z", "z\n")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.remove("x"); b.symlink("y", "x") },
				func(b *sandbox) { b.remove("x"); b.write("x/y", "ignored\n") },
				func(b *sandbox) { b.remove("x"); b.write("x", "file\n") },
			},
		},
		{
			name: "line endings",
			setup: func(b *sandbox) {
				b.write(".gitattributes", "*.txt text eol=lf\n*.bin -text\n*.auto text=auto\n")
				b.write("a.txt", "a\r\nb\r\n")
				b.write("a.bin", "a\r\nb\r\n")
				b.write("a.auto", "a\r\nb\r\n")
				b.write("plain", "a\r\nb\r\n")
				b.write("d/lf.txt", "a\nb\n")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.commit("one") },
				func(b *sandbox) { b.write("e/new.txt", "e\r\n"); b.write("e/new.raw", "e\r\n") },
				func(b *sandbox) { b.write("e/.gitattributes", "*.txt -text\n*.raw text\n") },
				func(b *sandbox) { b.write("a.txt", "c\r\n"); b.write("d/lf.txt", "c\n"); b.write("new.auto", "x\r\n") },
				func(b *sandbox) { b.write(".gitattributes", "*.txt -text\n") },
				func(b *sandbox) { b.write("a.txt", "d\r\n") },
				func(b *sandbox) { b.write("d/.gitattributes", "*.txt text\n"); b.write("d/lf.txt", "e\r\n") },
				func(b *sandbox) { b.write(".gitignore", "d/.gitattributes\n") },
				func(b *sandbox) { b.write("d/.gitattributes", "*.txt -text\n"); b.write("d/lf.txt", "f\r\n") },
				func(b *sandbox) { b.git("add", "--renormalize", "."); b.write("z", "z\n") },
			},
		},
		{
			name: "a file that was committed with CRLF keeps it under automatic line endings",
			setup: func(b *sandbox) {
				b.write("crlf", "a\r\nb\r\n")
				b.write("lf", "a\nb\n")
				b.commit("one")
				b.git("config", "core.autocrlf", "true")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("crlf", "a\r\nc\r\n"); b.write("lf", "a\r\nc\r\n"); b.write("new", "n\r\n") },
				func(b *sandbox) { b.write("crlf", "a\nc\n") },
				func(b *sandbox) { b.git("add", "crlf"); b.write("crlf", "a\r\nd\r\n") },
				func(b *sandbox) { b.git("config", "core.autocrlf", "input"); b.write("lf", "q\r\n") },
				func(b *sandbox) { b.git("config", "core.autocrlf", "false"); b.write("lf", "r\r\n") },
				func(b *sandbox) {
					b.write("../attr", "* text=auto\n")
					b.git("config", "core.attributesFile", b.path("../attr"))
				},
				func(b *sandbox) { b.write("lf", "s\r\n"); b.write("../attr", "* text\n") },
				func(b *sandbox) {
					b.must(appendFile(b.path(".git/info/attributes"), "lf -text\n"))
					b.write("lf", "t\r\n")
				},
			},
		},
		{
			name: "the index's word counts as long as it is given",
			setup: func(b *sandbox) {
				b.must(appendFile(b.path(".git/info/attributes"), "*.txt text\n"))
				b.write("a.txt", "a\r\n")
				b.write("b.txt", "b\r\n")
				b.age("a.txt")
				b.age("b.txt")
				b.commit("one")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.remove(".git/info/attributes") },
				func(b *sandbox) { b.write("c", "c\n") },
				func(b *sandbox) { b.git("rm", "-q", "--cached", "a.txt"); b.git("add", "-N", "a.txt") },
				func(b *sandbox) { b.git("rm", "-q", "--cached", "b.txt") },
				func(b *sandbox) { b.git("add", "a.txt", "b.txt") },
			},
		},
		{
			name: "filters, keywords and encodings",
			setup: func(b *sandbox) {
				b.git("config", "filter.up.clean", "tr a-z A-Z")
				b.git("config", "filter.up.smudge", "cat")
				b.write(".gitattributes", "*.up filter=up\n*.id ident\n*.u16 working-tree-encoding=UTF-16LE\n[attr]both filter=up ident\n*.both both\n")
				b.write("a.up", "hello\n")
				b.write("a.id", "$Id: 0123456789 $\n")
				b.write("a.u16", "h\x00i\x00\n\x00")
				b.write("a.both", "abc $Id: x $\n")
				b.write("sub dir/\xffodd.up", "odd\n")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.commit("one") },
				func(b *sandbox) {
					b.write("a.up", "hello again\n")
					b.write("plain", "p\n")
					b.write("new\nline.up", "x\n")
				},
				func(b *sandbox) { b.git("config", "filter.up.clean", "tr a-z b-za"); b.write("b.up", "other\n") },
				func(b *sandbox) { b.git("config", "--unset", "filter.up.clean"); b.write("b.up", "none\n") },
			},
		},
		{
			name: "an optional filter that fails",
			setup: func(b *sandbox) {
				b.write(".gitattributes", "*.x filter=no\n")
				b.git("config", "filter.no.clean", "/nonexistent/program")
				b.write("a.x", "a\n")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.write("a.x", "b\n") },
			},
		},
		{
			name:   "a tracked attribute file is missing",
			method: MethodOwn,
			setup: func(b *sandbox) {
				b.write("d/.gitattributes", "*.txt text\n")
				b.write("d/a.txt", "a\r\n")
				b.commit("one")
			},
			steps: []func(*sandbox){
				func(b *sandbox) { b.remove("d/.gitattributes") },
				func(b *sandbox) { b.write("d/a.txt", "a\n") },
				func(b *sandbox) { b.write("d/.gitattributes", "*.txt text\n") },
				func(b *sandbox) { b.remove("d") },
			},
		},
	}
}

func appendFile(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.WriteFile(path, []byte(strings.Join([]string{string(old), text}, "")), 0o600)
}
