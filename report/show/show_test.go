package show_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/internal/testing/talk"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/report/show"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

// desk is a repository with a conversation, opened.
type desk struct {
	*talk.Talk
	known *lookup.Conversations
	views *show.Viewer
}

func open(t *testing.T, more ...func(*talk.Talk)) *desk {
	t.Helper()
	k := talk.Server(t)
	alone := talk.New(k.World, "5e55a002") // without a record
	alone.Ask("write another file")
	alone.Put("other.go", "package server\n\nvar other = 1\n")
	alone.Change("other.go", "1", "2")
	alone.Shell("go vet", "", false)
	alone.Say("it is there")
	k.Git("checkout", "-q", "-b", "side")
	k.Commit("server: another file")
	k.Anchor()
	k.Git("checkout", "-q", "main")
	k.Write("notes.txt", "a person's note\nand another\n")
	k.Commit("notes: another")
	k.Anchor()
	k.Git("merge", "-q", "-m", "merge the side", "side")
	k.Anchor()
	spends := talk.New(k.World, "5e55a003") // its context has needless content
	spends.Ask("what fails")
	for range 4 {
		spends.Shell("go test ./...", strings.Repeat("FAIL: a long line of output that says the same\n", 400), true)
	}
	spends.Say("all of it fails")
	spends.Store()
	doubtful(alone, spends)
	alone.Ask("make it three")
	alone.Change("other.go", "2", "3")
	alone.Say("it is three")
	for _, do := range more {
		do(k)
	}
	known := &lookup.Conversations{Reader: k.Reader()}
	views, err := show.NewViewer(t.Context(), k.Repo, known)
	k.Check(err)
	t.Cleanup(views.Close)
	return &desk{k, known, views}
}

// doubtful writes a file while the calls of two conversations run.
func doubtful(one, two *talk.Talk) {
	begin := func(k *talk.Talk, call string) events.Boundary {
		b := events.Boundary{Kind: events.ToolBefore, Agent: talk.Agent, Session: k.Session, Cwd: k.Repo.WorkTree, Time: one.Now(),
			Tool: &events.ToolUse{CallID: call, Name: "Bash", Class: events.ToolRuns}}
		k.Check(k.Engine.Handle(k.T.Context(), b))
		b.Kind = events.ToolAfter
		return b
	}
	first, second := begin(one, "toolu_first"), begin(two, "toolu_second")
	one.Write("unknown.txt", "who wrote this\nand this\n")
	for _, b := range []events.Boundary{first, second} {
		b.Time = one.Now()
		one.Check(one.Engine.Handle(one.T.Context(), b))
	}
	one.Git("add", "-N", "unknown.txt")
}

func (d *desk) object(id string) show.Object {
	d.T.Helper()
	o, err := (&lookup.Resolver{Repo: d.Repo, Known: d.known}).Resolve(d.T.Context(), id)
	d.Check(err)
	v, err := d.views.View(o)
	d.Check(err)
	if t, is := v.(*show.TraceView); is {
		t.Count()
	}
	return show.ObjectOf(o.Kind, v)
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// drawn draws an object plainly; its coloured drawing must say the same.
func drawn[T show.Drawable](d *desk, list []T) string {
	d.T.Helper()
	var texts [2]string
	for i, colour := range []bool{false, true} {
		var out bytes.Buffer
		screen := &terminal.Screen{Out: &out, Width: 100, Whole: colour, Color: colour, Terminal: colour}
		d.Check(show.Draw(screen, d.views, list))
		texts[i] = colours.ReplaceAllString(out.String(), "")
	}
	if texts[0] == "" || !strings.Contains(texts[1], strings.Fields(texts[0])[0]) {
		d.T.Errorf("plain %q, coloured %q", texts[0], texts[1])
	}
	return texts[0]
}

func TestEveryObjectIsDrawnAndAnswered(t *testing.T) {
	t.Parallel()
	d := open(t)
	var patch events.PatchID
	var call string
	for _, e := range d.Log() {
		if e.Type == events.PatchRecorded && e.Trace != "" && patch == "" {
			patch = events.DataOf[events.PatchData](e).Patch
		}
		if e.ToolCall != "" && call == "" {
			call = e.ToolCall
		}
	}
	trace := string(d.Trace)
	for name, tt := range map[string]struct {
		id    string
		kind  string
		words []string
	}{
		"conversation": {trace, "trace", []string{"claude-code", "write a server with a retry limit", "close it twice", "it says so"}},
		"prompt":       {trace + "#1", "prompt", []string{"write a server with a retry limit", "server.go", "go test"}},
		"later prompt": {trace + "#2", "prompt", []string{"close it twice without harm"}},
		"step":         {trace + ":2", "step", []string{"Write", "package server"}},
		"call":         {call, "tool_call", []string{"Write", "server.go"}},
		"patch":        {string(patch), "patch", []string{"server.go", "claude-code"}},
		"no record":    {"5e55a002", "trace", []string{"write another file", "other.go"}},
		"its prompt":   {"5e55a002#1", "prompt", []string{"write another file", "other.go"}},
		"merge":        {"HEAD", "commit", []string{"merge the side"}},
		"commit":       {"HEAD~2", "commit", []string{"server: close twice", "claude-code", "notes.txt"}},
		"first commit": {"HEAD~3", "commit", []string{"server: begin"}},
		"event":        {"@3", "event", []string{"patch_recorded", "base.txt"}},
	} {
		o := d.object(tt.id)
		text := drawn(d, []show.Object{o})
		for _, word := range tt.words {
			if !strings.Contains(text, word) {
				t.Errorf("%s does not tell %q:\n%s", name, word, text)
			}
		}
		raw, err := json.Marshal(o.Answer())
		d.Check(err)
		var back answers.Object
		if d.Check(json.Unmarshal(raw, &back)); back.Kind != tt.kind {
			t.Errorf("%s is answered as %s", name, back.Kind)
		}
	}
}

func TestMarkdownHoldsPromptsAndAnswers(t *testing.T) {
	t.Parallel()
	d := open(t)
	objects := []show.Object{d.object(string(d.Trace)), d.object(string(d.Trace) + "#1"), d.object(string(d.Trace) + ":2")}
	text, err := show.Markdown(objects, d.views.Short)
	d.Check(err)
	for _, word := range []string{"write a server with a retry limit", "it closes twice", "```", "server.go"} {
		if !strings.Contains(text, word) {
			t.Errorf("%q is missing:\n%s", word, text)
		}
	}
	costs, err := show.CostsOnly(objects[:1])
	d.Check(err)
	if text := drawn(d, costs); !strings.Contains(text, "tokens") && !strings.Contains(text, "context") {
		t.Errorf("costs: %s", text)
	}
	if _, err := show.CostsOnly([]show.Object{d.object("HEAD")}); err == nil {
		t.Error("a commit has costs")
	}
}

func TestALineIsExplained(t *testing.T) {
	d := open(t)
	t.Chdir(d.Repo.WorkTree)
	var list []*show.WhyView
	for _, tt := range []struct {
		rev         string
		name        string
		first, last int
		words       []string
	}{
		{"", "server.go", 1, 1, []string{"say what it does", "server: another file"}},
		{"", "server.go", 5, 6, []string{"write a server with a retry limit", "limit := 3", "I need Edit now"}},
		{"HEAD", "server.go", 10, 11, []string{"close it twice without harm"}},
		{"", "other.go", 3, 3, []string{"make it three", "none yet"}},
		{"HEAD", "other.go", 1, 3, []string{"write another file"}},
		{"", "base.txt", 1, 3, []string{"base.txt"}},
		{"", "unknown.txt", 1, 2, []string{"who wrote this"}},
		{"", "notes.txt", 1, 1, []string{"notes.txt"}},
	} {
		v, err := d.views.Why(tt.rev, lookup.FileLines{Name: tt.name, First: tt.first, Last: tt.last}, nil)
		d.Check(err)
		v.Doubt(t.Context(), d.Repo)
		text := drawn(d, []*show.WhyView{v})
		for _, word := range tt.words {
			if !strings.Contains(text, word) {
				t.Errorf("%s:%d does not tell %q:\n%s", tt.name, tt.first, word, text)
			}
		}
		if p := v.JSON(); p.Path != tt.name {
			t.Errorf("the path is %s", p.Path)
		}
		list = append(list, v)
	}
	if got := list[1].Conversations(); !slices.Contains(got, d.Trace) {
		t.Errorf("conversations: %v", got)
	}
	text := show.MarkdownOfLines(list, d.views.Short)
	for _, word := range []string{"write a server with a retry limit", "say what it does", "server.go"} {
		if !strings.Contains(text, word) {
			t.Errorf("%q is missing:\n%s", word, text)
		}
	}
}

func TestAPatchIsTracked(t *testing.T) {
	d := open(t)
	t.Chdir(d.Repo.WorkTree)
	for _, tt := range []struct {
		wanted string
		words  []string
	}{
		{string(d.Trace) + "#1", []string{"server.go", "anchored", "8 of 9 alive"}},
		{"HEAD~3", []string{"server.go"}},
		{string(d.Trace), []string{"server.go", "alive"}},
		{"5e55a002", []string{"other.go"}},
		{"other.go", []string{"other.go"}},
		{"server.go:5", []string{"server.go"}},
		{"Close:server.go", []string{"Close", "close it twice"}},
	} {
		tracked, err := show.Track(d.views, []string{tt.wanted})
		d.Check(err)
		var out bytes.Buffer
		d.Check(tracked.Draw(&terminal.Screen{Out: &bytes.Buffer{}, Width: 40, Color: true}, d.views))
		d.Check(tracked.Draw(&terminal.Screen{Out: &out, Width: 100}, d.views))
		for _, word := range tt.words {
			if !strings.Contains(out.String(), word) {
				t.Errorf("%s does not tell %q:\n%s", tt.wanted, word, &out)
			}
		}
		raw, err := json.Marshal(tracked.Document())
		if d.Check(err); !bytes.Contains(raw, []byte(".go")) {
			t.Errorf("%s: %s", tt.wanted, raw)
		}
	}
	for _, e := range d.Log() {
		if e.Type != events.PatchRecorded && e.Type != events.CommitAnchored {
			continue
		}
		if _, err := show.Track(d.views, []string{fmt.Sprintf("@%d", e.Seq)}); err != nil && !strings.Contains(err.Error(), "no known line") {
			t.Errorf("@%d: %v", e.Seq, err)
		}
	}
	for wanted, want := range map[string]string{
		"nosuch":          "nosuch",
		"@1":              "not a patch",
		"server.go:99":    "lines",
		"nosuch.go:1":     "nosuch.go",
		"Clos:server.go":  "no function 'Clos'",
		":Clos":           "Clos",
		"Close:nosuch.go": "nosuch.go",
		"../outside.go:1": "outside",
		"1234abcd":        "1234abcd",
		"5e55a001#99":     "99",
		"unknown.txt:1":   "",
		":Close":          "",
		"Close":           "",
		"HEAD":            "nothing is recorded",
	} {
		tracked, err := show.Track(d.views, []string{wanted})
		if want == "" && err == nil {
			err = tracked.Draw(&terminal.Screen{Out: &bytes.Buffer{}, Width: 60, Color: true}, d.views)
		}
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", wanted, err)
		}
	}
}

func TestLostLinesAreTracked(t *testing.T) {
	d := open(t, func(k *talk.Talk) {
		k.Git("add", "unknown.txt")
		k.Git("stash", "-q")
		k.Write("server.go", "package server\n\nfunc Serve() int {\n\tlimit := 4\n\treturn limit\n}\n")
		k.Commit("server: four")
		k.Anchor()
		k.Git("revert", "--no-edit", "HEAD")
		k.Anchor()
		k.Git("rm", "-q", "-f", "other.go")
		k.Commit("server: drop the other")
		k.Anchor()
	})
	t.Chdir(d.Repo.WorkTree)
	var out bytes.Buffer
	for _, wanted := range []string{string(d.Trace), "5e55a002", "server.go"} {
		tracked, err := show.Track(d.views, []string{wanted})
		d.Check(err)
		d.Check(tracked.Draw(&terminal.Screen{Out: &out, Width: 100}, d.views))
	}
	for _, word := range []string{"lost with", "stashed in", "alive"} {
		if !strings.Contains(out.String(), word) {
			t.Errorf("%q is missing:\n%s", word, &out)
		}
	}
}

func TestConversationsAreListed(t *testing.T) {
	t.Parallel()
	d := open(t)
	all, err := d.known.Choose(t.Context(), view.Choice{Limit: -1})
	d.Check(err)
	all = slices.DeleteFunc(all, func(c view.Conversation) bool { return c.Trace != d.Trace })
	if len(all) != 1 {
		t.Fatalf("%d conversations", len(all))
	}
	items := []answers.LogItem{{Conversation: &all[0]}}
	items[0].Asked, err = d.known.Asked(t.Context(), d.Trace, time.Time{}, time.Time{})
	d.Check(err)
	files, err := d.known.Files(&all[0])
	d.Check(err)
	for _, whole := range []bool{false, true} {
		l := show.NewLogDrawer(&terminal.Screen{Width: 80, Whole: whole, Color: whole}, items, d.views.Short, time.Now())
		form, err := l.Formatted(&all[0], "%h %H %a %m %s %r %i %p %c %+ %- %k %$ %n%%")
		d.Check(err)
		for text, words := range map[string][]string{
			l.Line(&all[0]):           {"claude-code"},
			l.Conversation(&all[0]):   {"claude-code", "retry limit"},
			l.Asked(&items[0], false): {"close it twice"},
			l.Asked(&items[0], true):  {"say what it does"},
			l.Stat(files):             {"server.go"},
			form:                      {string(d.Trace), "claude-code", "3", "%"},
		} {
			for _, word := range words {
				if !strings.Contains(colours.ReplaceAllString(text, ""), word) {
					t.Errorf("%q is missing: %q", word, text)
				}
			}
		}
	}
	if show.CheckForm("%h") != nil || show.CheckForm("%q") == nil {
		t.Error("forms are not checked")
	}
	if name := show.NameOf(&all[0]); !strings.Contains(name, "retry limit") {
		t.Errorf("it is called %q", name)
	}
	if text := show.CallsText(&all[0]); !strings.Contains(text, "call") {
		t.Errorf("calls: %q", text)
	}
}

func TestWhatASearchFoundIsDrawn(t *testing.T) {
	t.Parallel()
	d := open(t)
	found, err := d.known.Search(t.Context(), view.Query{Text: "retry limit", Limit: 5, Count: true})
	d.Check(err)
	answer := show.FoundAnswer("retry limit", 4, found)
	if answer.Total != 1 || len(answer.Results) != 1 || len(answer.Results[0].Hits) == 0 {
		t.Fatalf("%+v", answer)
	}
	var plain, coloured bytes.Buffer
	d.Check(show.DrawFound(&terminal.Screen{Out: &plain, Width: 80}, found, "retry limit", d.Repo.WorkTree, d.views.Short))
	d.Check(show.DrawFound(&terminal.Screen{Out: &coloured, Width: 80, Color: true}, found, "retry limit", "", d.views.Short))
	if !strings.Contains(plain.String(), "retry limit") || !strings.Contains(coloured.String(), "\x1b[1mretry\x1b[m") {
		t.Errorf("%s\n%q", &plain, &coloured)
	}
}

func TestUnknownLinesHaveReasonsInWords(t *testing.T) {
	t.Parallel()
	d := open(t)
	left, err := view.PendingOf(t.Context(), d.Repo, nil)
	d.Check(err)
	why := show.WhyUnknown(t.Context(), d.Repo, left)
	if text := show.InWords(why); text == "" {
		t.Error("no word")
	}
	if left.Figures().Lines != 3 {
		t.Errorf("pending: %+v", left.Figures())
	}
}
