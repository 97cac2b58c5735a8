package blame

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
)

// story is a file that grows by a line in each commit and loses one again, with a merge.
//
//	c1 one · c2 +two · side: c3 +three on top · c4 +four · merge · c5 -two
type story struct {
	*repo
	knows *knows
	at    map[string]string // subject to id
}

func tell(t *testing.T) *story {
	t.Helper()
	s := &story{repo: newRepo(t), knows: &knows{lines: map[string]Attribution{}}, at: map[string]string{}}
	body := func(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
	step := func(subject, text string, owned map[int]Attribution) {
		s.Write("f", text)
		id := s.Commit(subject)
		s.at[subject] = id.String()
		for line, owner := range owned {
			s.knows.lines[at(id, "f", line)] = owner
		}
	}
	step("c1", body("one", "1", "2", "3"), map[int]Attribution{1: person})
	step("c2", body("one", "1", "2", "3", "two"), map[int]Attribution{5: claude})
	s.Git("checkout", "-q", "-b", "side")
	step("c3", body("three", "one", "1", "2", "3", "two"), map[int]Attribution{1: codex})
	s.Git("checkout", "-q", "main")
	step("c4", body("one", "1", "2", "3", "two", "four"), map[int]Attribution{6: claude})
	s.Tick++
	s.Git("merge", "-q", "-m", "merge", "side")
	s.at["merge"] = s.Head().String()
	step("c5", body("three", "one", "1", "2", "3", "four"), nil)
	return s
}

// owners gives "content: contributor agent" for the lines whose content is a word, with the commit git credits.
func (s *story) owners(args ...string) []string {
	s.T.Helper()
	s.knows.asked = nil
	out, err := s.blame(s.Dir, s.knows, Style{}, append([]string{"--json"}, args...)...)
	if err != nil {
		s.T.Fatalf("%s: %v", args, err)
	}
	var doc struct {
		Lines []struct {
			Content, Contributor string
			Commit, Agent        *string
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		s.T.Fatal(err)
	}
	var owners []string
	for _, l := range doc.Lines {
		if len(l.Content) < 2 {
			continue
		}
		commit, agent := "-", ""
		if l.Commit != nil {
			for subject, id := range s.at {
				if id == *l.Commit {
					commit = subject
				}
			}
		}
		if l.Agent != nil {
			agent = " " + *l.Agent
		}
		owners = append(owners, fmt.Sprintf("%s: %s %s%s", l.Content, commit, l.Contributor, agent))
	}
	return owners
}

func TestOwnersStayRightWhereGitCreditsAnotherCommit(t *testing.T) {
	t.Parallel()
	s := tell(t)
	s.Write("grafts", s.at["c5"]+" "+s.at["c1"]+"\n")
	tests := []struct {
		name, args string
		want       []string
	}{
		{"a plain blame", "HEAD -- f", []string{
			"three: c3 ai codex-cli", "one: c1 human", "four: c4 ai claude-code",
		}},
		{"reverse names the last commit that has the line", "--reverse c2..HEAD -- f", []string{
			"one: c5 human", "two: merge ai claude-code",
		}},
		{"reverse without an end goes to HEAD", "--reverse c2 -- f", []string{
			"one: c5 human", "two: merge ai claude-code",
		}},
		{"the first parent is credited with what the merge brought in", "--first-parent HEAD -- f", []string{
			"three: merge ai codex-cli", "one: c1 human", "four: c4 ai claude-code",
		}},
		{"a range ends in a boundary that gets every older line", "c4..HEAD -- f", []string{
			"three: c3 ai codex-cli", "one: c4 human", "four: c4 ai claude-code",
		}},
		{"an excluded commit is such a boundary", "^merge HEAD -- f", []string{
			"three: merge ai codex-cli", "one: merge human", "four: merge ai claude-code",
		}},
		{"so is a date", "--since=2023-11-20T00:00:00Z HEAD -- f", []string{
			"three: merge ai codex-cli", "one: merge human", "four: merge ai claude-code",
		}},
		{"grafts replace the history", "-S grafts HEAD -- f", []string{
			"three: c5 ai codex-cli", "one: c1 human", "four: c5 ai claude-code",
		}},
		{"part of the lines", "-L 6,6 merge..HEAD -- f", []string{"four: merge ai claude-code"}},
	}
	for subject, id := range s.at {
		s.Git("tag", subject, id)
	}
	for _, test := range tests {
		if got := s.owners(strings.Fields(test.args)...); !slices.Equal(got, test.want) {
			t.Errorf("%s: %s\n got %q\nwant %q", test.name, test.args, got, test.want)
		}
	}
}

func TestTheOwnersInGitsFormatsAreThoseOfTheContentToo(t *testing.T) {
	t.Parallel()
	s := tell(t)
	for _, format := range []string{"--porcelain", "--line-porcelain", "--incremental"} {
		out, err := s.blame(s.Dir, s.knows, Style{}, format, s.at["merge"]+"..HEAD", "--", "f")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"trace-agent codex-cli\n", "trace-agent claude-code\n", "trace-contributor human\n"} {
			if strings.Count(out, want) != 1 {
				t.Errorf("%s: %d times %q in\n%s", format, strings.Count(out, want), want, out)
			}
		}
	}
}

func TestAnIgnoredRevisionDoesNotCountForTheOwnerEither(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.Write("f", "a := 1\nb := 2\n")
	first := r.Commit("by claude")
	r.Write("f", "a := 1 \nb :=  2\n")
	r.Commit("by a formatter")
	k := &knows{lines: map[string]Attribution{at(first, "f", 1): claude, at(first, "f", 2): codex}}
	out, err := r.blame(r.Dir, k, Style{}, "--porcelain", "--ignore-rev", "HEAD", "f")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "trace-agent claude-code\n") || !strings.Contains(out, "trace-agent codex-cli\n") {
		t.Errorf("got\n%s", out)
	}
}

func TestMovedAndCopiedLinesAreAskedForWhereTheyCameFrom(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	text := "func first() error { return nil }\nfunc second() error { return errors.New(\"no\") }\n"
	r.Write("a.go", text)
	first := r.Commit("a")
	r.Write("b.go", "package b\n"+text)
	r.Commit("b copies a")
	k := &knows{lines: map[string]Attribution{at(first, "a.go", 1): claude, at(first, "a.go", 2): claude}}
	out, err := r.blame(r.Dir, k, Style{}, "--json", "-C", "-C", "b.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out, `"original_path":"a.go","author"`); n != 2 {
		t.Fatalf("git found %d copied lines in\n%s", n, out)
	}
	if n := strings.Count(out, `"agent":"claude-code"`); n != 2 {
		t.Errorf("%d lines by claude in\n%s", n, out)
	}
}

func TestLinesNotCommittedAreAskedForWithTheContentAsGitStoresIt(t *testing.T) {
	t.Parallel()
	const committed = "one\ntwo\nthree\n"
	tests := map[string]struct {
		attributes, work, stored string
		args                     []string
		stdin                    string
	}{
		"as it is":                 {work: "one\ntwo\nthree\nfour\n", stored: "one\ntwo\nthree\nfour\n"},
		"without a newline at end": {work: "one\ntwo\nthree\nfour", stored: "one\ntwo\nthree\nfour"},
		"part of it asked for": {
			work: "zero\none\ntwo\nthree\nfour\n", stored: "zero\none\ntwo\nthree\nfour\n", args: []string{"-L5,5"},
		},
		"line endings converted": {
			attributes: "* text eol=crlf\n", work: "one\r\ntwo\r\nthree\r\nfour\r\n", stored: "one\ntwo\nthree\nfour\n",
		},
		"through a filter": {
			attributes: "f filter=upper\n", work: "one\ntwo\nthree\nFOUR\n", stored: "one\ntwo\nthree\nfour\n",
			args: []string{"-L4,4"},
		},
		"from standard input": {
			work: committed, stdin: "one\ntwo\nthree\nfive", stored: "one\ntwo\nthree\nfive", args: []string{"--contents", "-"},
		},
		"from another file": {work: committed, stored: "one\nsix\n", args: []string{"--contents", "other"}},
	}
	for name, test := range tests {
		for _, format := range []string{"--json", "--porcelain", "--incremental"} {
			t.Run(name+" "+format, func(t *testing.T) {
				t.Parallel()
				r := newRepo(t)
				r.Git("config", "filter.upper.clean", "tr A-Z a-z")
				r.Write("f", committed)
				r.Commit("first")
				r.Write(".gitattributes", test.attributes)
				r.Write("f", test.work)
				r.Write("other", "one\nsix\n")
				k := &knows{lines: map[string]Attribution{}}
				for line := range 6 {
					k.lines[at(noCommit, "f", line)] = claude
				}
				out, err := r.blameStdin(r.Dir, test.stdin, k, Style{}, append(append([]string{format}, test.args...), "f")...)
				if err != nil {
					t.Fatal(err)
				}
				if string(k.content) != test.stored {
					t.Errorf("the resolver was given %q, not %q", k.content, test.stored)
				}
				if !strings.Contains(out, "claude-code") {
					t.Errorf("no line by claude in\n%s", out)
				}
			})
		}
	}
}

func TestASymbolicLinkIsBlamedAsGitStoresIt(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	if err := os.Symlink("target", filepath.Join(r.Dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	r.Commit("a link")
	if err := os.Remove(filepath.Join(r.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere", filepath.Join(r.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	k := &knows{lines: map[string]Attribution{at(noCommit, "link", 1): claude}}
	out, err := r.blame(r.Dir, k, Style{}, "--json", "link")
	if err != nil {
		t.Fatal(err)
	}
	if string(k.content) != "elsewhere" || !strings.Contains(out, `"agent":"claude-code"`) {
		t.Errorf("content %q\n%s", k.content, out)
	}
}

func TestAConvertedFileHasNoOwnersSinceItsLinesAreNotTheFiles(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.Git("config", "diff.rev.textconv", "tac <")
	r.Write(".gitattributes", "*.doc diff=rev\n")
	r.Write("a.doc", "one\ntwo\n")
	id := r.Commit("first")
	k := &knows{lines: map[string]Attribution{at(id, "a.doc", 1): claude, at(id, "a.doc", 2): claude}}
	converted, err := r.blame(r.Dir, k, Style{}, "--json", "a.doc")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(converted, "claude") || strings.Index(converted, "two") > strings.Index(converted, "one") {
		t.Errorf("converted:\n%s", converted)
	}
	plain, err := r.blame(r.Dir, k, Style{}, "--json", "--no-textconv", "a.doc")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(plain, `"agent":"claude-code"`) != 2 {
		t.Errorf("not converted:\n%s", plain)
	}
}

func TestTheResolverIsAskedOnceForEachCommitAndPathWithAscendingLines(t *testing.T) {
	t.Parallel()
	credits := []credit{
		creditFor(noCommit, "b", 4, ""), creditFor(noCommit, "a", 7, ""), creditFor(noCommit, "a", 2, ""),
		creditFor(noCommit, "b", 1, ""), creditFor(noCommit, "a", 7, ""),
	}
	groups := groupCredits(credits)
	if len(groups) != 2 || groups[0].path != "b" || !slices.Equal(groups[0].lines, []int{1, 4}) ||
		groups[1].path != "a" || !slices.Equal(groups[1].lines, []int{2, 7}) {
		t.Fatalf("groups %+v %+v", groups[0], groups[1])
	}
	k := &knows{lines: map[string]Attribution{at(noCommit, "a", 7): claude, at(noCommit, "b", 4): codex}}
	owners, err := resolve(t.Context(), k, credits, func(string) ([]byte, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range owners {
		got = append(got, string(owners[i].Kind)+owners[i].Agent)
	}
	want := []string{"aicodex-cli", "aiclaude-code", "unknown", "unknown", "aiclaude-code"}
	if !slices.Equal(got, want) || owners[2].Kind != events.OwnerUnknown {
		t.Errorf("got %q, want %q", got, want)
	}
}
