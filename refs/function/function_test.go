package function

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

// world is a repository with these attributes.
func world(t *testing.T, attributes string) *refs.Repo {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"config", "diff.own.xfuncname", "^ *(step .*)$"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte(attributes), 0o600); err != nil {
		t.Fatal(err)
	}
	repo, err := refs.Discover(dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

// Each line that git log -L takes for a function line begins a function, and no other does.
func TestFunctionLinesAreGits(t *testing.T) {
	t.Parallel()
	repo := world(t, "*.py diff=python\n*.md diff=markdown\n*.own diff=own\n\"a b/*.py\" -diff\n")
	tests := map[string]struct{ path, content, want string }{
		"Go without a driver":             {"a.go", "package a\n\nfunc A() {\n}\n\n// B is\n// it\nfunc (x *X) B(y int) {\n}\n", "1 package a\n3 func A\n6 func (x *X) B"},
		"Python with a driver":            {"a.py", "import os\nclass A:\n    @prop\n    def b(self):\n        def c():\n            pass\n        return c\n", "1 \n2 class A\n3 def b\n5 def c"},
		"Python without one":              {"a b/a.py", "import os\n\n    def b(self):\n", "1 import os"},
		"equal lines":                     {"b.py", "class A:\n    def x(self):\nclass B:\n    def x(self, y):\n", "1 class A\n2 def x\n3 class B\n4 def x (2)"},
		"headings":                        {"a.md", "text\n# One (1)\ntext\n## Two\n", "1 \n2 # One (1)\n4 ## Two"},
		"a driver of the user":            {"x.own", "  step one\nelse\nstep two\n", "1 step one\n3 step two"},
		"TypeScript":                      {"a.ts", "export function load(id: string) {\n  return 1\n}\n\nexport class A {\n}\n", "1 export function load\n5 export class A"},
		"Rust":                            {"a.rs", "pub(crate) fn a<T>(x: T) {\n}\n", "1 pub(crate) fn a<T>"},
		"no functions":                    {"a.txt", "  one\n  two\n", "1 "},
		"an empty file":                   {"a.txt", "", ""},
		"a binary one":                    {"a.py", "def a():\n\x00", "1 "},
		"without a last line feed":        {"c.py", "def a():\n\n\n\ndef b():", "1 def a\n5 def b"},
		"carriage returns":                {"d.py", "def a():\r\n\r\n    pass\r\n", "1 def a"},
		"empty lines alone":               {"e.py", "\n\n", "1 "},
		"names that are options for grep": {"-e/--/:f.py", "def a():\n", "1 def a"},
	}
	for name, tt := range tests {
		found, err := Of(t.Context(), repo, Content{tt.path, []byte(tt.content)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		end := 1
		for _, f := range found {
			got = append(got, strings.Join([]string{itoa(f.Start), f.Name}, " "))
			if f.Start != end || f.Count < 1 {
				t.Errorf("%s: %q has lines %d+%d, and %d is next", name, f.Name, f.Start, f.Count, end)
			}
			end = f.Start + f.Count
		}
		if lines := strings.Count(tt.content, "\n"); end < lines+1 {
			t.Errorf("%s: the functions end at %d of %d", name, end, lines)
		}
		if text := strings.Join(got, "\n"); text != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, text, tt.want)
		}
	}
}

func itoa(n int) string { return string(rune('0' + n)) }

// A file that became a directory, and contents of one path, are asked together.
func TestManyContentsAreAskedAtOnce(t *testing.T) {
	t.Parallel()
	f := NewFinder(t.Context(), world(t, "a/* diff=python\n"))
	files := []Content{{"a", []byte("one\n")}, {"a/b.x", []byte("  def c():\n")}, {"a/b.x", []byte("  def d():\none\n")}}
	if err := f.Learn(files...); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"one", "def c", "def d"} {
		if got := f.Functions(files[i]); len(got) != 1 || got[0].Name != want {
			t.Errorf("%q has %v, want %s", files[i].Text, got, want)
		}
	}
}

// A regular expression that git cannot read is git's error.
func TestABadDriverIsAnError(t *testing.T) {
	t.Parallel()
	repo := world(t, "* diff=bad\n")
	if _, err := repo.Git(t.Context(), nil, "config", "diff.bad.xfuncname", "(("); err != nil {
		t.Fatal(err)
	}
	if _, err := Of(t.Context(), repo, Content{"a", []byte("x\n")}); err == nil || !strings.Contains(err.Error(), "find functions: git grep") {
		t.Errorf("the error is %v", err)
	}
}

func TestNamesOfFunctions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line, name string
		rank       int
	}{
		{"func (s *Server) Close() error {", "Close", 2}, {"func (s *Server) Close() error {", "Server", 0},
		{"func (s *Server) Close() error {", "lose", 0}, {"type Server struct {", "Server", 1},
		{"type Server struct {", "Serve", 0}, {"func (s *Server) Close() error {", "func (s *Server) Close", 2},
		{"    def run(self):", "run", 2}, {"## Reading a blame", "Reading a blame", 2}, {"int main (void)", "main", 1},
		{"public static void main(String[] a) {", "main", 2}, {"class Überzug(Base):", "Überzug", 2},
		{"class Überzug(Base):", "zug", 0}, {"fn a()", "", 0}, {"fn xax_a_b()", "a", 0},
	}
	for _, tt := range tests {
		f := Function{Text: strings.TrimSpace(tt.line), bare: nameOf(strings.TrimSpace(tt.line)), Line: 1}
		if got := f.Rank(tt.name); got != tt.rank {
			t.Errorf("%q is named %q by %d, want %d (%q)", tt.line, tt.name, got, tt.rank, f.bare)
		}
	}
}
