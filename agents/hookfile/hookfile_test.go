package hookfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/hookfile"
)

func entries(binary string) []hookfile.Entry {
	list := make([]hookfile.Entry, 0, 3)
	for _, event := range []string{"SessionStart", "PreToolUse", "PostToolUse"} {
		entry := hookfile.Entry{Event: event, Command: hookfile.Command(binary, "claude-code", event), Timeout: 10}
		if strings.HasSuffix(event, "ToolUse") {
			entry.Matcher = "*"
		}
		list = append(list, entry)
	}
	return list
}

// flatEntries are the entries for an agent without groups.
func flatEntries(binary string) []hookfile.Entry {
	list := entries(binary)
	for i := range list {
		list[i].Form, list[i].Matcher = hookfile.Flat, ""
	}
	return list
}

func ours(command string) bool {
	binary, agent, _, ok := hookfile.ParseCommand(command)
	return ok && agent == "claude-code" && strings.HasSuffix(binary, "git-trace")
}

func install(t *testing.T, doc []byte, binary string) []byte {
	t.Helper()
	out, _, err := hookfile.Install(doc, entries(binary), ours)
	if err != nil {
		t.Fatalf("install: %v", err)
	}
	return out
}

const fresh = `{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "'/opt/git-trace' hook claude-code SessionStart",
            "timeout": 10
          }
        ]
      }
    ],
    "PreToolUse": [
      {
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": "'/opt/git-trace' hook claude-code PreToolUse",
            "timeout": 10
          }
        ]
      }
    ],
    "PostToolUse": [
      {
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": "'/opt/git-trace' hook claude-code PostToolUse",
            "timeout": 10
          }
        ]
      }
    ]
  }
}
`

func TestANewFileHasTheEnvelopeThatAgentsRead(t *testing.T) {
	t.Parallel()
	if got := string(install(t, nil, "/opt/git-trace")); got != fresh {
		t.Errorf("got:\n%s", got)
	}
}

// documents are what users have, each valid and without our entries.
var documents = []struct{ name, doc string }{
	{"an empty file", ""},
	{"a file of one newline", "\n"},
	{"a file of blanks", " \n\t\n"},
	{"an empty object", "{}"},
	{"an empty object and a newline", "{}\n"},
	{"an empty object over two lines", "{\n}\n"},
	{"settings without hooks", "{\n  \"model\": \"opus\",\n  \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}\n"},
	{"minified settings", `{"model":"opus","x":[1,2.50,1e999,-0]}`},
	{"empty hooks", "{\n  \"hooks\": {}\n}\n"},
	{"empty hooks over two lines", "{\n  \"hooks\": {\n  },\n  \"z\": null\n}"},
	{"an empty event", `{"hooks": {"PreToolUse": [ ]}}`},
	{"hooks of others", "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n" +
		"          {\"type\": \"command\", \"command\": \"/usr/local/bin/guard\"}\n        ]\n      }\n    ]\n  }\n}\n"},
	{"hooks of others on other events", `{"hooks": {"Notification": [{"hooks": [{"type": "command", "command": "beep"}]}]}, "theme": "dark"}`},
	{"tabs", "{\n\t\"model\": \"opus\"\n}\n"},
	{"four spaces", "{\n    \"model\": \"opus\"\n}\n"},
	{"line ends of Windows", "{\r\n  \"model\": \"opus\"\r\n}\r\n"},
	{"a byte order mark", "\xEF\xBB\xBF{\n  \"model\": \"opus\"\n}\n"},
	{"a byte order mark alone", "\xEF\xBB\xBF"},
	{"a byte order mark and an object", "\xEF\xBB\xBF{}\n"},
	{"a key that stands twice", `{"hooks": {"PreToolUse": []}, "hooks": {"Stop": []}}`},
	{"escapes and characters of HTML", `{"a\u0000\"": "<&>\u2028 ü", "hooks": {"\u0050reToolUse": [{"hooks": []}]}}`},
	{"groups of odd shapes", `{"hooks": {"PreToolUse": [null, 3, {"hooks": 5}, {"hooks": [null, {"command": 7}]}]}}`},
	{"white space everywhere", " {\n\n \"a\" \t:\n 1 ,  \"hooks\" : { \"Stop\" : [ ] , \"PreToolUse\" : [ { } ] } \n }\n \n"},
}

func TestRemovalAfterInstallationRestoresEveryByte(t *testing.T) {
	t.Parallel()
	for _, test := range documents {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkRoundTrip(t, []byte(test.doc), true)
		})
	}
}

// checkRoundTrip holds what the package promises for a document without our entries.
func checkRoundTrip(t *testing.T, doc []byte, mustInstall bool) {
	t.Helper()
	checkRoundTripOf(t, doc, entries("/opt/git-trace"), mustInstall)
	checkRoundTripOf(t, doc, flatEntries("/opt/git-trace"), mustInstall)
}

func checkRoundTripOf(t *testing.T, doc []byte, entries []hookfile.Entry, mustInstall bool) {
	t.Helper()
	once, changed, err := hookfile.Install(doc, entries, ours)
	if err != nil {
		if mustInstall || !errors.Is(err, hookfile.ErrShape) && !errors.Is(err, hookfile.ErrSyntax) {
			t.Fatalf("install: %v", err)
		}
		return
	}
	if len(changed) != 3 {
		t.Errorf("changed %q, want all three events", changed)
	}
	if !json.Valid(bytes.TrimPrefix(once, []byte("\xEF\xBB\xBF"))) {
		t.Fatalf("installed document is not JSON:\n%s", once)
	}
	twice, changed, err := hookfile.Install(once, entries, ours)
	if err != nil || len(changed) != 0 || !bytes.Equal(twice, once) {
		t.Errorf("second installation: changed %q, %v:\n%s", changed, err, twice)
	}
	state, err := hookfile.Inspect(once, entries, ours)
	if err != nil || len(state.Present) != 3 || len(state.Missing)+len(state.Stale) != 0 {
		t.Errorf("inspect: %+v, %v", state, err)
	}
	back, changed, err := hookfile.Remove(once, ours)
	if err != nil || len(changed) != 3 {
		t.Errorf("remove: changed %q, %v", changed, err)
	}
	if !bytes.Equal(back, doc) || (back == nil) != (doc == nil) {
		t.Errorf("removal gives %q, want %q\ninstalled:\n%s", back, doc, once)
	}
}

func TestANewFlatFileNamesItsVersionAndIsDeletedWithItsEntries(t *testing.T) {
	t.Parallel()
	out, _, err := hookfile.Install(nil, flatEntries("/opt/git-trace")[:1], ours)
	want := "{ \"version\": 1,\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"command\": \"'/opt/git-trace' hook claude-code SessionStart\",\n        \"timeout\": 10\n      }\n    ]\n  }\n}\n"
	if err != nil || string(out) != want {
		t.Errorf("got %q, %v", out, err)
	}
	if back, _, err := hookfile.Remove(out, ours); err != nil || back != nil {
		t.Errorf("removal leaves %q, %v", back, err)
	}
}

func TestRemovalOfANewFileDeletesIt(t *testing.T) {
	t.Parallel()
	out, changed, err := hookfile.Remove([]byte(fresh), ours)
	if err != nil || out != nil || len(changed) != 3 {
		t.Errorf("got %q, %q, %v; want no document", out, changed, err)
	}
}

func TestRemovalKeepsWhatOthersAddedLater(t *testing.T) {
	t.Parallel()
	doc := strings.Replace(fresh, "\n  }\n}", "\n  },\n  \"model\": \"opus\"\n}", 1)
	out, _, err := hookfile.Remove([]byte(doc), ours)
	if want := "{\n  \"model\": \"opus\"\n}\n"; err != nil || string(out) != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
}

func TestRemovalTakesAHandlerOutOfASharedGroup(t *testing.T) {
	t.Parallel()
	const doc = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/x/git-trace hook claude-code Stop"}, ` +
		`{"type": "command", "command": "beep"}]}]}}`
	out, _, err := hookfile.Remove([]byte(doc), ours)
	if want := `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}}`; err != nil || string(out) != want {
		t.Errorf("got %s, %v, want %s", out, err, want)
	}
}

func TestRemovalWithoutEntriesChangesNothing(t *testing.T) {
	t.Parallel()
	for _, test := range documents {
		out, changed, err := hookfile.Remove([]byte(test.doc), ours)
		if err != nil || len(changed) != 0 || string(out) != test.doc {
			t.Errorf("%s: got %q, %q, %v", test.name, out, changed, err)
		}
	}
}

func TestEntriesThatDoNotServeAreReplaced(t *testing.T) {
	t.Parallel()
	good := string(install(t, nil, "/opt/git-trace"))
	tests := []struct{ name, old, with string }{
		{"another path of the program", "/opt/git-trace", "/old place/git-trace"},
		{"a matcher that leaves tools out", `"matcher": "*"`, `"matcher": "Edit|Write"`},
		{"an entry that is not waited for", `"timeout": 10`, `"timeout": 10, "async": true`},
		{"an entry with a condition", `"timeout": 10`, `"timeout": 10, "if": "Bash(git *)"`},
		{"an entry without a time limit", `,
            "timeout": 10`, ""},
		{"an entry of another type", `"type": "command"`, `"type": "prompt"`},
		{"an entry under the wrong event", "claude-code PreToolUse", "claude-code PostToolUse"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bad := strings.Replace(good, test.old, test.with, 10)
			if bad == good {
				t.Fatal("the test changes nothing")
			}
			state, err := hookfile.Inspect([]byte(bad), entries("/opt/git-trace"), ours)
			if err != nil || len(state.Stale) == 0 || len(state.Missing) != 0 {
				t.Errorf("inspect: %+v, %v", state, err)
			}
			out := install(t, []byte(bad), "/opt/git-trace")
			state, err = hookfile.Inspect(out, entries("/opt/git-trace"), ours)
			if err != nil || len(state.Stale)+len(state.Missing) != 0 || len(state.Commands) != 3 {
				t.Errorf("after installation: %+v, %v\n%s", state, err, out)
			}
		})
	}
}

func TestAnotherPathIsReplacedInPlace(t *testing.T) {
	t.Parallel()
	for _, test := range documents {
		old := install(t, []byte(test.doc), "/old place/git-trace")
		got := install(t, old, "/opt/git-trace")
		if want := install(t, []byte(test.doc), "/opt/git-trace"); !bytes.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, want)
		}
	}
}

func TestAUsersOwnTimeLimitAndMessageStay(t *testing.T) {
	t.Parallel()
	doc := strings.ReplaceAll(fresh, `"timeout": 10`, `"timeout": 2.5, "statusMessage": "tracing"`)
	out, changed, err := hookfile.Install([]byte(doc), entries("/opt/git-trace"), ours)
	if err != nil || len(changed) != 0 || string(out) != doc {
		t.Errorf("changed %q, %v:\n%s", changed, err, out)
	}
}

func TestASecondEntryOfAnEventIsRemoved(t *testing.T) {
	t.Parallel()
	doc := `{"hooks": {"Stop": [` +
		`{"hooks": [{"type": "command", "command": "/a/git-trace hook claude-code Stop", "timeout": 9}]}, ` +
		`{"hooks": [{"type": "command", "command": "/a/git-trace hook claude-code Stop", "timeout": 9}]}]}}`
	want := []hookfile.Entry{{Event: "Stop", Command: "/a/git-trace hook claude-code Stop", Timeout: 10}}
	out, changed, err := hookfile.Install([]byte(doc), want, ours)
	if err != nil || !slices.Equal(changed, []string{"Stop"}) || strings.Count(string(out), "git-trace") != 1 {
		t.Errorf("changed %q, %v: %s", changed, err, out)
	}
}

func TestBrokenDocumentsAreRefusedWithTheirLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, doc string
		want      error
		text      string
	}{
		{"a trailing comma", "{\n  \"a\": 1,\n}\n", hookfile.ErrSyntax, "line 3"},
		{"a comment in it that never began", "{\n  mine */\n  \"a\": 1\n}\n", hookfile.ErrSyntax, "line 2"},
		{"an end too early", "{\n  \"a\": [\n", hookfile.ErrSyntax, "line 2"},
		{"text behind the object", "{}\n{}\n", hookfile.ErrSyntax, "line 2"},
		{"a document that is an array", "[]", hookfile.ErrShape, "not an object"},
		{"hooks that are an array", `{"hooks": []}`, hookfile.ErrShape, `"hooks" is not an object`},
		{"hooks that are null", `{"hooks": null}`, hookfile.ErrShape, `"hooks" is not an object`},
		{"an event that is an object", `{"hooks": {"PreToolUse": {}}}`, hookfile.ErrShape, `"PreToolUse" is not an array`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := hookfile.Install([]byte(test.doc), entries("/opt/git-trace"), ours)
			if !errors.Is(err, test.want) || !strings.Contains(fmt.Sprint(err), test.text) {
				t.Errorf("got %v, want %v with %q", err, test.want, test.text)
			}
		})
	}
}

func TestAFlagIsSeen(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]bool{
		`{"disableAllHooks": true}`: true, `{"disableAllHooks": false}`: false, `{"disableAllHooks": "true"}`: false,
		`{"x": {"disableAllHooks": true}}`: false, `{}`: false, ``: false, `[`: false, `[true]`: false,
	} {
		if got := hookfile.Flag([]byte(doc), "disableAllHooks"); got != want {
			t.Errorf("%s: got %v, want %v", doc, got, want)
		}
	}
}

func TestRandomDocumentsSurviveARoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1000) {
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		doc := g.space() + g.document() + g.space()
		if !json.Valid([]byte(doc)) {
			t.Fatalf("seed %d: generator made %q", seed, doc)
		}
		checkRoundTrip(t, []byte(doc), false)
		if t.Failed() {
			t.Fatalf("seed %d: %q", seed, doc)
		}
	}
}

// generator writes settings with random members and white space.
type generator struct{ *rand.Rand }

func (g generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g generator) space() string {
	return g.pick("", "", " ", "\n", "\n  ", "\n\t\t", "\r\n    ", "\n\n")
}

func (g generator) join(open, closing string, items ...string) string {
	g.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	items = items[:g.IntN(len(items)+1)]
	for i := range items {
		items[i] = g.space() + items[i] + g.space()
	}
	if len(items) == 0 {
		return open + g.space() + closing
	}
	return open + strings.Join(items, ",") + closing
}

func (g generator) member(key, value string) string {
	return `"` + key + `"` + g.space() + ":" + g.space() + value
}

func (g generator) document() string {
	group := func() string {
		return g.join("{", "}", g.member("matcher", g.pick(`"Bash"`, `""`, "null")),
			g.member("hooks", g.join("[", "]", `{"type":"command","command":"beep"}`, `{"command":"git-trace status"}`, "1")))
	}
	list := func() string { return g.join("[", "]", group(), group(), "null") }
	hooks := g.join("{", "}", g.member("PreToolUse", list()), g.member("SessionStart", list()), g.member("Notification", list()))
	return g.join("{", "}", g.member("hooks", hooks), g.member("model", `"opus"`), g.member("env", `{"A":"b"}`))
}

func FuzzEdit(f *testing.F) {
	for _, test := range documents {
		f.Add([]byte(test.doc))
	}
	f.Add([]byte(fresh))
	f.Fuzz(func(t *testing.T, doc []byte) {
		state, err := hookfile.Inspect(doc, nil, ours)
		if err != nil {
			return
		}
		if len(state.Commands) == 0 {
			checkRoundTrip(t, doc, false)
			return
		}
		out, _, err := hookfile.Remove(doc, ours)
		if err != nil {
			t.Fatalf("remove: %v", err)
		}
		if state, err := hookfile.Inspect(out, nil, ours); err != nil || len(state.Commands) != 0 {
			t.Errorf("after removal: %+v, %v", state, err)
		}
	})
}
