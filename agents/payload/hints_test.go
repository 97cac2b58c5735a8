package payload_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/payload"
)

func TestHintsOfACommandLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line string
		want       []string
	}{
		{"a command without paths has none", "go test", nil},
		{"an absolute path is one", "cat /src/a.go", []string{"/src/a.go"}},
		{"a path after a redirection is one", "echo x >/src/out.txt", []string{"/src/out.txt"}},
		{"a quoted path keeps its spaces", `sed -i 's/a b/c/' "/src/my file.go"`, []string{"/src/my file.go", "/home/dev/work/s/a b/c"}},
		{
			"cd comes first and moves what follows", "cat /etc/hosts && cd sub && echo x > in/here",
			[]string{"/home/dev/work/sub", "/etc/hosts", "/home/dev/work/sub/in/here"},
		},
		{"git -C adds up and moves nothing else", "git -C a -C b status; cat c/d", []string{"/home/dev/work/a/b", "/home/dev/work/c/d"}},
		{"the home directory is known", "cd ~/other && ls ~/third/x", []string{"/home/dev/other", "/home/dev/third/x"}},
		{"a value of an option is a path", "tar --directory=/src/x -xf y", []string{"/src/x"}},
		{"an assignment before a command is looked at", "OUT=/src/o make", []string{"/src/o"}},
		{"sudo does not hide the command", "sudo git -C /src/r pull", []string{"/src/r"}},
		{"a glob gives the directory it is in", "rm /src/gen/*.go", []string{"/src/gen"}},
		{"devices are left out", "cmd >/dev/null 2>&1 </dev/stdin", nil},
		{"addresses are left out", "curl https://example.com/x", nil},
		{"what only the shell can expand is left out", "cd $DIR; cat ${X}/y", nil},
		{"a comment is left out", "# see /src/old\ncat /src/new", []string{"/src/new"}},
		{"a sub-shell is looked into", "(cd /src/a; make) | tee /src/log", []string{"/src/a", "/src/log"}},
		{"a path twice is given once", "cat /src/a /src/a", []string{"/src/a"}},
		{"an open quote ends with the line", `echo "/src/a`, []string{"/src/a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := payload.Hints(test.line, "/home/dev/work", "/home/dev")
			if !slices.Equal(got, test.want) {
				t.Errorf("Hints(%q) = %q, want %q", test.line, got, test.want)
			}
		})
	}
}

func TestHintsAreAtMostSixteen(t *testing.T) {
	t.Parallel()
	var line strings.Builder
	for i := range 100 {
		fmt.Fprintf(&line, "cat /src/%d; ", i)
	}
	line.WriteString("cd /last")
	got := payload.Hints(line.String(), "/", "")
	if len(got) != 16 || got[0] != "/last" {
		t.Errorf("got %d hints, the first %q; want 16 that begin with the directory", len(got), got[0])
	}
}

func FuzzHints(f *testing.F) {
	for _, line := range []string{"cd a && git -C b add c/d", `echo "a\"b/c" 'd/e`, "a\\", "# x", "`x`", "cat <<EOF\n/x\nEOF"} {
		f.Add(line, "/work")
	}
	f.Fuzz(func(t *testing.T, line, cwd string) {
		for _, hint := range payload.Hints(line, cwd, "/home/dev") {
			if payload.AbsPath(hint) != hint {
				t.Errorf("hint %q is not a clean absolute path", hint)
			}
		}
	})
}
