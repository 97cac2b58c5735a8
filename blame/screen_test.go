package blame

import (
	"strings"
	"testing"
)

// screenRepo is a file with lines of two people's times, two conversations, and lines that no commit has.
func screenRepo(t *testing.T) (*repo, *knows) {
	t.Helper()
	r := newRepo(t)
	r.Write("server.go", "type Server struct {\n\tmu     sync.Mutex\n}\n// 漢字 wide\n")
	first := r.Commit("first")
	r.Write("server.go", "type Server struct {\n\tclosed atomic.Bool\n\tmu     sync.Mutex\n}\n// 漢字 wide\n")
	second := r.Commit("second")
	r.Write("server.go", "type Server struct {\n\tclosed atomic.Bool\n\tmu     sync.Mutex\n\twg     sync.WaitGroup\n}\n"+
		"// 漢字 wide\n// mine\n")
	return r, &knows{lines: map[string]Attribution{
		at(first, "server.go", 1): person, at(second, "server.go", 2): claude,
		at(noCommit, "server.go", 4): codex, at(noCommit, "server.go", 7): person,
	}}
}

// screens are what the options draw. The pictures begin and end with a line break for the eye.
var screens = []struct{ name, args, want string }{
	{"the table names agents with conversation and prompt, people by name", "", `
^63e7a2b  A U Thor             2023-11-16    1 │ type Server struct {
 b9376a3  claude-code 4f2a#3   2023-11-17    2 │ 	closed atomic.Bool
^63e7a2b  A U Thor           ? 2023-11-16    3 │ 	mu     sync.Mutex
 ·······  codex-cli   b810#1   not committed 4 │ 	wg     sync.WaitGroup
^63e7a2b  A U Thor           ? 2023-11-16    5 │ }
^63e7a2b  A U Thor           ? 2023-11-16    6 │ // 漢字 wide
 ·······  you                  not committed 7 │ // mine
`},
	{"a revision has nothing uncommitted", "HEAD --", `
^63e7a2b  A U Thor             2023-11-16 1 │ type Server struct {
 b9376a3  claude-code 4f2a#3   2023-11-17 2 │ 	closed atomic.Bool
^63e7a2b  A U Thor           ? 2023-11-16 3 │ 	mu     sync.Mutex
^63e7a2b  A U Thor           ? 2023-11-16 4 │ }
^63e7a2b  A U Thor           ? 2023-11-16 5 │ // 漢字 wide
`},
	{"without authors and dates, conversations stay", "-s -L1,4", `
^63e7a2b                       1 │ type Server struct {
 b9376a3  claude-code 4f2a#3   2 │ 	closed atomic.Bool
^63e7a2b                     ? 3 │ 	mu     sync.Mutex
 ·······  codex-cli   b810#1   4 │ 	wg     sync.WaitGroup
`},
	{"without authors and without conversations there is no owner column", "-s -L5,6", `
^63e7a2b 5 │ }
^63e7a2b 6 │ // 漢字 wide
`},
	{"addresses in place of names", "-e -L1,3", `
^63e7a2b  <author@example.com>   2023-11-16 1 │ type Server struct {
 b9376a3  claude-code 4f2a#3     2023-11-17 2 │ 	closed atomic.Bool
^63e7a2b  <author@example.com> ? 2023-11-16 3 │ 	mu     sync.Mutex
`},
	{"raw times, original numbers and names", "-tnf -L1,2", `
^63e7a2b  server.go 1  A U Thor            1700086400 +0200 1 │ type Server struct {
 b9376a3  server.go 2  claude-code 4f2a#3  1700172800 +0200 2 │ 	closed atomic.Bool
`},
	{"long ids", "-l -L2,2", `
b9376a32ae214ad99a58888a56cbe52fa60ce035  claude-code 4f2a#3  2023-11-17 2 │ 	closed atomic.Bool
`},
	{"as many digits as asked for", "--abbrev=12 -L2,2", `
b9376a32ae21  claude-code 4f2a#3  2023-11-17 2 │ 	closed atomic.Bool
`},
	{"dates as git writes them", "--date=iso -L2,2", `
b9376a3  claude-code 4f2a#3  2023-11-17 00:13:20 +0200 2 │ 	closed atomic.Bool
`},
	{"in every form that git knows", "--date=format:%d.%m.%y -L1,4", `
^63e7a2b  A U Thor             16.11.23      1 │ type Server struct {
 b9376a3  claude-code 4f2a#3   17.11.23      2 │ 	closed atomic.Bool
^63e7a2b  A U Thor           ? 16.11.23      3 │ 	mu     sync.Mutex
 ·······  codex-cli   b810#1   not committed 4 │ 	wg     sync.WaitGroup
`},
	{"blank boundaries", "-b -L1,2", `
         A U Thor            2023-11-16 1 │ type Server struct {
b9376a3  claude-code 4f2a#3  2023-11-17 2 │ 	closed atomic.Bool
`},
	{"roots are no boundaries", "--root -L1,2", `
63e7a2b  A U Thor            2023-11-16 1 │ type Server struct {
b9376a3  claude-code 4f2a#3  2023-11-17 2 │ 	closed atomic.Bool
`},
	{"only what agents wrote", "--only-ai", `
b9376a3  claude-code 4f2a#3  2023-11-17    2 │ 	closed atomic.Bool
·······  codex-cli   b810#1  not committed 4 │ 	wg     sync.WaitGroup
`},
	{"the question above the lines it led to", "--prompts", `
▌4f2a#3 claude-code · claude-opus-4-5 · 2023-11-17 · Edit
▌"close must be safe to call twice, and from any goroutine"
▌ 2 │ 	closed atomic.Bool

▌b810#1 codex-cli · gpt-5-codex · apply_patch · not committed
▌"add a wait group"
▌ 4 │ 	wg     sync.WaitGroup

2 lines by people · 3 lines unknown
`},
	{"questions and nothing else", "--prompts --only-ai -L2,2", `
▌4f2a#3 claude-code · claude-opus-4-5 · 2023-11-17 · Edit
▌"close must be safe to call twice, and from any goroutine"
▌ 2 │ 	closed atomic.Bool
`},
	{"the form of git-annotate", "-c -L2,4", `
b9376a3	(claude-code 4f2a#3	2023-11-17 00:13:20 +0200	2)	closed atomic.Bool
63e7a2b	(  A U Thor	2023-11-16 00:13:20 +0200	3)	mu     sync.Mutex
0000000	(codex-cli   b810#1	not committed	4)	wg     sync.WaitGroup
`},
	{"git's figures of moves", "--score-debug -C -L2,2", `
b9376a3 17 01  claude-code 4f2a#3  2023-11-17 2 │ 	closed atomic.Bool
`},
	{"git's statistics", "--show-stats -L2,2", `
b9376a3  claude-code 4f2a#3  2023-11-17 2 │ 	closed atomic.Bool
num read blob: 3
num get patch: 2
num commits: 2
`},
	{"repeated lines step back, wherever the output goes", "--color-lines -L5,6", `
^63e7a2b  A U Thor ? 2023-11-16 5 │ }
` + "\x1b[36m^63e7a2b  A U Thor ? 2023-11-16 6 │\x1b[m // 漢字 wide\n"},
	{"colours by age", "--color-by-age -L4,5", "\n" +
		"\x1b[31m ·······  codex-cli b810#1   not committed 4 │\x1b[m \twg     sync.WaitGroup\n" +
		"\x1b[34m^63e7a2b  A U Thor         ? 2023-11-16    5 │\x1b[m }\n"},
	{"the end of a range is a boundary", "HEAD~1.. -L1,2 --", `
^63e7a2b  A U Thor            2023-11-16 1 │ type Server struct {
 b9376a3  claude-code 4f2a#3  2023-11-17 2 │ 	closed atomic.Bool
`},
}

func TestScreens(t *testing.T) {
	t.Parallel()
	r, k := screenRepo(t)
	for _, screen := range screens {
		t.Run(screen.name, func(t *testing.T) {
			t.Parallel()
			got, err := r.blame(r.Dir, &knows{lines: k.lines}, Style{}, append(strings.Fields(screen.args), "server.go")...)
			if err != nil {
				t.Fatal(err)
			}
			if want := screen.want[1:]; got != want {
				t.Errorf("%s\n got\n%s\nwant\n%s", screen.args, got, want)
			}
		})
	}
}

func TestConfigurationDecidesWhatOptionsDoNot(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, config, args, want string }{
		{"blame.showEmail", "blame.showEmail=true", "-L1,1", "^63e7a2b  <author@example.com>  2023-11-16 1 │"},
		{"--no-show-email", "blame.showEmail=true", "--no-show-email -L1,1", "^63e7a2b  A U Thor  2023-11-16 1 │"},
		{"blame.date", "blame.date=unix", "-L1,1", "^63e7a2b  A U Thor  1700086400 1 │"},
		{"blame.date for a terminal", "blame.date=auto:unix", "-L1,1", "^63e7a2b  A U Thor  Thu Nov 16 00:13:20 2023 +0200 1 │"},
		{"--date", "blame.date=unix", "--date=short -L1,1", "^63e7a2b  A U Thor  2023-11-16 1 │"},
		{"blame.blankBoundary", "blame.blankBoundary=true", "-L1,1", "         A U Thor  2023-11-16 1 │"},
		{"blame.showRoot", "blame.showRoot=true", "-L1,1", "63e7a2b  A U Thor  2023-11-16 1 │"},
		{"core.abbrev", "core.abbrev=5", "-L1,1", "^63e7a  A U Thor  2023-11-16 1 │"},
		{"blame.coloring without colours", "blame.coloring=highlightRecent", "-L1,1", "^63e7a2b  A U Thor  2023-11-16 1 │"},
		{
			"color.blame.highlightRecent", "color.blame.highlightRecent=green,1 month ago,bold red", "--color-by-age -L1,1",
			"\x1b[32m^63e7a2b  A U Thor  2023-11-16 1 │\x1b[m",
		},
		{
			"color.blame.repeatedLines", "color.blame.repeatedLines=yellow", "--color-lines -L5,6",
			"\x1b[33m^63e7a2b  A U Thor ? 2023-11-16 6 │\x1b[m // ",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, k := screenRepo(t)
			key, value, _ := strings.Cut(test.config, "=")
			r.Git("config", key, value)
			got, err := r.blame(r.Dir, k, Style{}, append(strings.Fields(test.args), "server.go")...)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains("\n"+got, "\n"+test.want) {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestMarksOfIgnoredRevisionsAreGits(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.Write("f", "a := 1\n")
	r.Commit("first")
	r.Write("f", "a :=  1\nb := 2\n")
	r.Commit("second")
	r.Git("config", "blame.markIgnoredLines", "true")
	r.Git("config", "blame.markUnblamableLines", "true")
	got, err := r.blame(r.Dir, &knows{}, Style{}, "-s", "--ignore-rev", "HEAD", "f")
	if err != nil {
		t.Fatal(err)
	}
	git := r.Git("blame", "-s", "--ignore-rev", "HEAD", "f")
	if !strings.Contains(git, "^?") || !strings.Contains(git, "*") {
		t.Skipf("this git marks nothing:\n%s", git)
	}
	if !strings.Contains(got, "^?") || !strings.Contains(got, " *") {
		t.Errorf("got\n%s\ngit\n%s", got, git)
	}
}

func TestACopiedLineShowsTheFileItCameFrom(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.Write("old.go", "one\ntwo\n")
	r.Commit("first")
	r.Git("mv", "old.go", "new.go")
	r.Commit("renamed")
	got, err := r.blame(r.Dir, &knows{}, Style{}, "new.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(got, "  old.go  A U Thor ? "); n != 2 {
		t.Errorf("got\n%s", got)
	}
}
