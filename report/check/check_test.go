package check

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/gitdiff"
	"github.com/git-trace/git-trace/refs/pathglob"
	"github.com/git-trace/git-trace/report/diff"
)

func TestAPatternMatchesAsInGitignore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.go", "a/b.go", true}, {"/*.go", "a/b.go", false}, {"/*.go", "b.go", true}, {"src/", "src/a/b", true}, {"src/", "src", false},
		{"src", "lib/src/a", true}, {"src/**", "src/a/b", true}, {"src/**", "srcs/a", false}, {"**/x/*.c", "x/a.c", true},
		{"**/x/*.c", "a/b/x/a.c", true}, {"a/**/z", "a/z", true}, {"a/**/z", "a/b/c/z", true}, {"a/*/z", "a/b/c/z", false},
		{"**", "anything/at all", true}, {"[ab].txt", "b.txt", true}, {"a/b", "a/b/c", true}, {"*", "deep/er", true},
		{"a/**/b/**/c", "a/x/b/y/b/c", true}, {"a/**/b/**/c", "a/x/y/c", false},
	} {
		if got := pathglob.Match(c.pattern, c.path); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.path, got)
		}
	}
}

func TestManyStarsTakeLittle(t *testing.T) {
	t.Parallel()
	if pathglob.Match(strings.Repeat("**/a/", 100)+"b", strings.Repeat("a/", 2000)+"c") {
		t.Error("it matches")
	}
}

func TestAPolicyIsReadOrRefused(t *testing.T) {
	t.Parallel()
	p, err := parse("policy.signed\x00policy.reviewers\n*@a.example b@c\x00paths.src/**.agents\nnone\x00paths.a.b.models\nx, y\x00" +
		"paths.src/**.unknown\n10%\x00paths.src/**.review\nfalse\x00")
	if err != nil || !p.Signed || len(p.Reviewers) != 2 || len(p.Rules) != 2 || p.Rules[0].Agents == nil || len(p.Rules[0].Agents) > 0 ||
		p.Rules[1].Pattern != "a.b" || len(p.Rules[1].Models) != 2 || !p.Rules[0].Unknown.Percent || p.Rules[0].Review == nil {
		t.Errorf("%+v: %v", p, err)
	}
	for _, wrong := range []string{
		"policy.other\nx", "core.editor\nx", "paths.agents\nx", "paths.a.unknown\n-1", "paths.a.unknown\n101%", "paths.a.unknown\nmany",
		"paths.a.review\nmaybe", "paths.!a.agents\nx", "paths./.agents\nx", "paths./../a.agents\nx", "paths../a.review\ntrue", "paths.[.agents\nx", "paths..agents\nx", "paths.a.agents\n", "paths.a.models\n[", "policy.signed\nperhaps",
		"paths." + strings.Repeat("a", pathglob.Longest+1) + ".agents\nx", "paths.a.agents\n" + strings.Repeat("x ", maxWords+1),
	} {
		if p, err := parse(wrong); err == nil {
			t.Errorf("%.60q is taken as %+v", wrong, p)
		}
	}
	var many strings.Builder
	for range maxRules + 1 {
		many.WriteString("paths." + strings.Repeat("a", 1+many.Len()%900) + "/" + strings.Repeat("b", many.Len()/900) + ".agents\nx\x00")
	}
	if _, err := parse(many.String()); err == nil {
		t.Error("too many rules are taken")
	}
}

// change is a file whose lines have these owners, from line 1.
func change(path string, owners ...blame.Attribution) *diff.Diff {
	f := &diff.File{Record: &gitdiff.Record{Path: path, Status: 'M'}, Path: path, OldPath: path, Hunks: []diff.Hunk{{}}}
	for i := range owners {
		f.Hunks[0].Lines = append(f.Hunks[0].Lines, diff.Line{
			TextLine: gitdiff.TextLine{Sign: diff.Added, New: i + 1}, Owner: &blame.Annotated{Owner: &owners[i]},
		})
	}
	return &diff.Diff{Files: []*diff.File{f}}
}

func TestAChangeIsHeldAgainstItsPolicy(t *testing.T) {
	t.Parallel()
	ai := blame.Attribution{Kind: events.OwnerAI, Agent: "claude-code", Model: "anthropic/claude-x", Trace: "t1"}
	nobody := blame.Attribution{Kind: events.OwnerUnknown}
	person := blame.Attribution{Kind: events.OwnerHuman}
	several := blame.Attribution{Kind: events.OwnerAI, Candidates: []events.CandidateData{{Agent: "claude-code"}, {Agent: "pi"}}}
	told := ai
	told.Writer = "0123456789abcdef"
	signed := told
	signed.Signer = "Ann"
	disputed := person
	disputed.Disputed = []string{"w"}
	id, _ := refs.ParseOID(strings.Repeat("1", 40))
	reviewed := &Facts{Touched: map[string][]refs.OID{"a": {id}}, Reviewers: map[refs.OID][]string{id: {"Ann <ann@x>"}}}
	for name, c := range map[string]struct {
		policy string
		facts  *Facts
		lines  []blame.Attribution
		want   string
	}{
		"nothing is asked":                 {"", nil, []blame.Attribution{ai, nobody}, ""},
		"a person may always":              {"paths.a.agents\nnone", nil, []blame.Attribution{person}, ""},
		"an agent may not":                 {"paths.a.agents\nnone", nil, []blame.Attribution{ai, ai}, "agent 1+2"},
		"another may":                      {"paths.a.agents\npi claude-*", nil, []blame.Attribution{ai, several}, ""},
		"one of several may not":           {"paths.a.agents\npi", nil, []blame.Attribution{several}, "agent 1+1"},
		"nobody knows":                     {"paths.a.agents\nclaude-code", nil, []blame.Attribution{ai, nobody}, "unknown 2+1"},
		"so many may be unknown":           {"paths.a.agents\nclaude-code\x00paths.a.unknown\n50%", nil, []blame.Attribution{ai, nobody}, ""},
		"a model by its short name":        {"paths.a.models\nclaude-*", nil, []blame.Attribution{ai}, ""},
		"a model that is not known":        {"paths.a.models\n*x", nil, []blame.Attribution{several}, "model 1+1"},
		"a review is missing":              {"paths.a.review\ntrue", &Facts{}, []blame.Attribution{ai}, "review 1+1"},
		"a review covers what is unknown":  {"paths.a.review\ntrue", reviewed, []blame.Attribution{ai, nobody}, ""},
		"a review by others":               {"paths.a.review\ntrue\x00policy.reviewers\n*@y", reviewed, []blame.Attribution{ai}, "review 1+1"},
		"a note":                           {"paths.a.review\ntrue", &Facts{Noted: func(events.TraceID) bool { return true }}, []blame.Attribution{ai}, ""},
		"a later section replaces a key":   {"paths.a.agents\nnone\x00paths.*.agents\nclaude-code", nil, []blame.Attribution{ai}, ""},
		"a log that is not signed":         {"policy.signed\ntrue", nil, []blame.Attribution{ai, told, signed}, "unsigned 2+1"},
		"logs that contradict each other":  {"paths.a.agents\nnone", nil, []blame.Attribution{disputed}, "disputed 1+1"},
		"a number of unknown lines alone":  {"paths.a.unknown\n1", nil, []blame.Attribution{nobody, ai, nobody}, "unknown 1+1, unknown 3+1"},
		"the sum of an older line is told": {"paths.a.unknown\n0", nil, []blame.Attribution{{Kind: events.OwnerOlder}}, "unknown 1+1"},
	} {
		p, err := parse(c.policy)
		if err != nil {
			t.Fatal(err)
		}
		if c.facts == nil {
			c.facts = &Facts{}
		}
		out := p.Hold(change("a", c.lines...), c.facts)
		var got []string
		for _, f := range out.Findings {
			got = append(got, f.Rule+" "+string(rune('0'+f.Line))+"+"+string(rune('0'+f.Lines)))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

func TestAFileWithoutLinesDoesNotPass(t *testing.T) {
	t.Parallel()
	one, _ := refs.ParseOID(strings.Repeat("1", 40))
	two, _ := refs.ParseOID(strings.Repeat("2", 40))
	p, _ := parse("paths.low/.agents\nnone")
	for name, f := range map[string]*diff.File{
		"binary":      {Record: &gitdiff.Record{Old: one, New: two, NewMode: 0o100644, Status: 'M'}, Path: "low/a", OldPath: "low/a"},
		"moved":       {Record: &gitdiff.Record{Old: one, New: one, NewMode: 0o100644, Status: 'R'}, Path: "low/a", OldPath: "a"},
		"a submodule": {Record: &gitdiff.Record{Old: one, New: two, NewMode: refs.ModeGitlink, Status: 'M'}, Path: "low/a", OldPath: "low/a"},
		"its words":   {Path: "low/a"},
	} {
		if out := p.Hold(&diff.Diff{Files: []*diff.File{f}}, &Facts{}); len(out.Findings) != 1 || out.Findings[0].Rule != NoLines {
			t.Errorf("%s: %+v", name, out.Findings)
		}
	}
	kept := &diff.File{Record: &gitdiff.Record{Old: one, New: one, NewMode: 0o100755, Status: 'M'}, Path: "low/a", OldPath: "low/a"}
	if out := p.Hold(&diff.Diff{Files: []*diff.File{kept}}, &Facts{}); len(out.Findings) > 0 {
		t.Errorf("a mode: %+v", out.Findings)
	}
}

func FuzzPolicy(f *testing.F) {
	f.Add("paths.src/**.agents\nnone\x00policy.signed", "src/a/b")
	f.Add("paths.**/a/**/b.unknown\n5%", "a/a/b/b")
	f.Fuzz(func(t *testing.T, listed, path string) {
		p, err := parse(listed)
		if err != nil || path == "" {
			return
		}
		if len(p.Rules) > maxRules {
			t.Errorf("%d rules", len(p.Rules))
		}
		p.Hold(change(path, blame.Attribution{Kind: events.OwnerAI, Agent: "a"}), &Facts{})
	})
}
