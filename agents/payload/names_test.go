package payload_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/payload"
)

func TestFilesThatACommandNames(t *testing.T) {
	t.Parallel()
	const cwd = "/dev/shm/work"
	tests := []struct {
		name, line, file string
		want             bool
	}{
		{"a word", "sed -i s/a/b/ a.txt", cwd + "/a.txt", true},
		{"a redirection", "echo x>a.txt", cwd + "/a.txt", true},
		{"a path below", "echo x > sub/a.txt", cwd + "/sub/a.txt", true},
		{"another file of the same name", "echo x > sub/a.txt", cwd + "/a.txt", false},
		{"after a change of directory", "cd sub && echo x > a.txt", cwd + "/sub/a.txt", true},
		{"a quoted name with a space", `touch "a b.txt"`, cwd + "/a b.txt", true},
		{"a script in a here-document", "python - <<EOF\nopen('a.txt', 'w').write('x')\nEOF", cwd + "/a.txt", true},
		{"a script in an argument", `node -e 'fs.writeFileSync("sub/a.txt", "x")'`, cwd + "/sub/a.txt", true},
		{"a patch", "git apply <<EOF\n--- a/sub/a.txt\n+++ b/sub/a.txt\nEOF", cwd + "/sub/a.txt", true},
		{"an absolute path", "tee /src/a.txt", "/src/a.txt", true},
		{"the value of an option", "gen --out=a.txt", cwd + "/a.txt", true},
		{"a place in a file", "fix a.txt:12", cwd + "/a.txt", true},
		{"the end of a sentence", "git commit -m 'Write a.txt.'", cwd + "/a.txt", true},
		{"letters of other languages", "echo x > ä.txt", cwd + "/ä.txt", true},
		{"a directory names no file in it", "prettier --write sub", cwd + "/sub/a.txt", false},
		{"nor do patterns", "gofmt -w *.go", cwd + "/a.go", false},
		{"nor what the shell makes", "sed -i s/a/b/ $F", cwd + "/a.txt", false},
		{"nothing at all", "", cwd + "/a.txt", false},
	}
	for _, test := range tests {
		if got := payload.Names(test.line, cwd, "/home/dev"); slices.Contains(got, test.file) != test.want {
			t.Errorf("%s: %q names %q", test.name, test.line, got)
		}
	}
	var many strings.Builder
	for i := range 1000 {
		many.WriteString("cd d" + strings.Repeat("x", i) + "; ")
	}
	if got := payload.Names(many.String(), cwd, ""); len(got) > 4*128 {
		t.Errorf("%d names", len(got))
	}
}
