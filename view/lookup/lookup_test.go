package lookup_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/testing/talk"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

func resolver(t *testing.T) (*talk.Talk, *lookup.Resolver) {
	t.Helper()
	k := talk.Server(t)
	other := talk.New(k.World, "5e55a002") // without a record
	other.Ask("look around")
	other.Put("other.go", "package server\n")
	other.Say("there it is")
	return k, &lookup.Resolver{Repo: k.Repo, Known: &lookup.Conversations{Reader: k.Reader()}}
}

func TestAnIDNamesOneObject(t *testing.T) {
	t.Parallel()
	k, r := resolver(t)
	var patch events.PatchID
	var call, event string
	for _, e := range k.Log() {
		if e.Type == events.PatchRecorded && e.Trace == k.Trace && patch == "" {
			patch, call, event = events.DataOf[events.PatchData](e).Patch, e.ToolCall, string(e.ID)
		}
	}
	short, err := r.Known.Short()
	k.Check(err)
	head := k.Head().String()
	for id, want := range map[string]lookup.Object{
		string(k.Trace):       {Kind: lookup.TraceObject, Trace: k.Trace},
		short(k.Trace):        {Kind: lookup.TraceObject, Trace: k.Trace},
		short(k.Trace) + "…":  {Kind: lookup.TraceObject, Trace: k.Trace},
		k.Session:             {Kind: lookup.TraceObject, Trace: k.Trace},
		short(k.Trace) + "#2": {Kind: lookup.PromptObject, Trace: k.Trace, Prompt: 2},
		short(k.Trace) + ":2": {Kind: lookup.StepObject, Trace: k.Trace, Step: 2},
		"5e55a002:1":          {Kind: lookup.PromptObject, Prompt: 1, Step: 1},
		call:                  {Kind: lookup.ToolCallObject, ToolCall: call},
		string(patch):         {Kind: lookup.PatchObject, Patch: patch},
		"HEAD":                {Kind: lookup.CommitObject, Commit: k.Head()},
		head:                  {Kind: lookup.CommitObject, Commit: k.Head()},
		"main":                {Kind: lookup.CommitObject, Commit: k.Head()},
		"@2":                  {Kind: lookup.EventObject},
		event:                 {Kind: lookup.EventObject},
	} {
		o, err := r.Resolve(t.Context(), id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if want.Trace == "" {
			o.Trace = ""
		}
		o.Event = events.Event{}
		if fmt.Sprint(o) != fmt.Sprint(want) {
			t.Errorf("%s is %+v, not %+v", id, o, want)
		}
	}
}

func TestAnUnknownIDIsRefusedWithAReason(t *testing.T) {
	t.Parallel()
	k, r := resolver(t)
	short, err := r.Known.Short()
	k.Check(err)
	for id, want := range map[string]string{
		"@0":                  "not an event number",
		"@99999":              "no event 99999",
		"nosuchthing":         "nosuchthing",
		"ab":                  "ab",
		short(k.Trace) + "#0": "count",
		"deadbeef#1":          "deadbeef",
		"toolu_":              "ambiguous",
		"toolu_5e55a001_zz":   "toolu_5e55a001_zz",
	} {
		_, err := r.Resolve(t.Context(), id)
		var list bytes.Buffer
		told := lookup.ReportAmbiguous(&list, err)
		if err == nil || !strings.Contains(err.Error(), want) && want != "count" {
			t.Errorf("%s: %v", id, err)
		}
		var several *lookup.Ambiguous
		if errors.As(err, &several) != (list.Len() > 0) || told == nil {
			t.Errorf("%s: %v, told %q", id, told, &list)
		}
	}
	many := &lookup.Ambiguous{ID: "ab", Candidates: slices.Repeat([]string{"one"}, 30)}
	var list bytes.Buffer
	if lookup.ReportAmbiguous(&list, many) == nil || !strings.Contains(list.String(), "and 10 more") {
		t.Errorf("%s", &list)
	}
	if lookup.ReportAmbiguous(io.Discard, nil) != nil {
		t.Error("nothing is a fault")
	}
}

func TestAPlaceHasASnapshot(t *testing.T) {
	t.Parallel()
	k, r := resolver(t)
	trace := string(k.Trace)
	for _, word := range []string{trace + "#1", trace + "#2", trace + ":4", "@5"} {
		p, known, err := r.PlaceNamed(t.Context(), word)
		if err != nil || !known {
			t.Errorf("%s: %v, %v", word, known, err)
			continue
		}
		for _, after := range []bool{false, true} {
			m, err := r.Moment(t.Context(), word, p, after)
			if err != nil && !strings.Contains(err.Error(), word) || err == nil && m.Tree.IsZero() {
				t.Errorf("%s: %+v, %v", word, m, err)
			}
		}
	}
	for _, word := range []string{"main", "HEAD", "@{upstream}", "nosuch", "server.go:3"} {
		if _, known, err := r.PlaceNamed(t.Context(), word); known {
			t.Errorf("%s is a moment, %v", word, err)
		}
	}
	if _, _, err := r.PlaceNamed(t.Context(), "5e55a002:1"); err == nil {
		t.Error("a conversation without a record has steps")
	}
	if err := r.Kept("then", view.Moment{Tree: k.Head()}); err == nil {
		t.Error("a commit is a tree")
	}
	for p, want := range map[view.Place]string{{Trace: k.Trace}: "git trace show", {Call: "x"}: "git trace events"} {
		if hint := r.Instead(p); !strings.Contains(hint, want) {
			t.Errorf("%+v: %s", p, hint)
		}
	}
}

func TestStepsHaveCalls(t *testing.T) {
	t.Parallel()
	k, r := resolver(t)
	calls := func(step int) string {
		list, err := lookup.StepCalls(t.Context(), r.Known, "it", lookup.Object{Trace: k.Trace, Step: step})
		return fmt.Sprint(list, err)
	}
	if got := calls(2); !strings.Contains(got, "toolu_") {
		t.Error(got)
	}
	if got := calls(1); !strings.Contains(got, "has no call") {
		t.Error(got)
	}
	if got := calls(99); !strings.Contains(got, "no step 99") {
		t.Error(got)
	}
	o, err := r.Resolve(t.Context(), "5e55a002")
	k.Check(err)
	if _, err := lookup.StepCalls(t.Context(), r.Known, "it", lookup.Object{Trace: o.Trace, Step: 1}); err == nil {
		t.Error("a conversation without a record has steps")
	}
	if err := lookup.NoRecord(k.Trace); err == nil || !strings.Contains(err.Error(), string(k.Trace)[:8]) {
		t.Error(err)
	}
	for _, o := range []lookup.Object{{Prompt: 2, Trace: k.Trace}, {}} {
		if hint := lookup.SeeObject("name", o); !strings.HasPrefix(hint, "git trace show ") {
			t.Error(hint)
		}
	}
}

func TestLinesAreNamed(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"a.go:3": "{a.go 3 3} true <nil>", "a.go:3-6": "{a.go 3 6} true <nil>", "a.go": "{ 0 0} false <nil>",
		"a.go:0": "{a.go 0 0} true 'a.go:0' names no lines", "a:6-3": "{a 6 3} true 'a:6-3' names no lines",
	} {
		p, named, err := lookup.LinesOf(arg)
		if got := fmt.Sprint(p, named, err); got != want {
			t.Errorf("%s: %s", arg, got)
		}
	}
	for name, want := range map[string]bool{"a/b": true, "a.go": true, "b3:00.x": false, "4f2a": false, "lookup_test.go": true} {
		if lookup.LooksLikePath(name) != want {
			t.Errorf("%s looks like a path: %v", name, !want)
		}
	}
}

func TestCommitsAndPathsAreFound(t *testing.T) {
	t.Parallel()
	k, r := resolver(t)
	if id, err := lookup.Commit(t.Context(), k.Repo, "HEAD"); err != nil || id != k.Head() {
		t.Error(id, err)
	}
	if _, err := lookup.Commit(t.Context(), k.Repo, "nosuch"); err == nil {
		t.Error("a commit that is not there")
	}
	for name, tt := range map[string]struct {
		revs []string
		all  bool
		want int
	}{"head": {nil, false, 3}, "range": {[]string{"HEAD~1..HEAD"}, false, 1}, "all": {nil, true, 3}} {
		if list, err := lookup.Commits(t.Context(), k.Repo, tt.revs, tt.all); err != nil || len(list) != tt.want {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	for _, rev := range []string{"--all", "nosuch"} {
		if _, err := lookup.Commits(t.Context(), k.Repo, []string{rev}, false); err == nil {
			t.Errorf("%s is a revision", rev)
		}
	}
	if _, known, err := r.Commit(t.Context(), "-x"); known || err != nil {
		t.Error(known, err)
	}
	inside, err := lookup.PathInside(k.Repo, filepath.Join(k.Repo.WorkTree, "a", "b.go"))
	if err != nil || inside != "a/b.go" {
		t.Error(inside, err)
	}
	if _, err := lookup.PathInside(k.Repo, filepath.Join(k.Repo.WorkTree, "..", "b.go")); err == nil {
		t.Error("a path outside is inside")
	}
}

func TestEventsAreDescribed(t *testing.T) {
	t.Parallel()
	k, r := resolver(t)
	told := map[events.Type]string{}
	for _, e := range k.Log() {
		told[e.Type] = lookup.Describe(e)
	}
	for typ, word := range map[events.Type]string{events.PatchRecorded: "+", events.CommitAnchored: " ai"} {
		if !strings.Contains(told[typ], word) {
			t.Errorf("%s: %q", typ, told[typ])
		}
	}
	digits, err := r.Known.Digits()
	k.Check(err)
	if digits != lookup.FewestDigits || lookup.Abbreviator(6)(k.Trace) != string(k.Trace)[:6] {
		t.Error(digits)
	}
	if _, err := r.Known.FindTrace("HEAD"); err == nil {
		t.Error("a commit is a conversation")
	}
}
