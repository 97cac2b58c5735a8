package hookfile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/hookfile"
)

const stop = `"/a/git-trace hook claude-code Stop"`

// An entry serves where it runs for every tool, is waited for, and nothing keeps it from running.
func TestWhichEntriesServe(t *testing.T) {
	t.Parallel()
	grouped := []hookfile.Entry{{Event: "Stop", Command: "/a/git-trace hook claude-code Stop", Timeout: 10}}
	flat := []hookfile.Entry{{Event: "Stop", Command: "/a/git-trace hook claude-code Stop", Timeout: 10, Form: hookfile.Flat}}
	group := func(handler string) string { return `{"hooks": [` + handler + `]}` }
	const good = `{"type": "command", "command": ` + stop + `, "timeout": 9}`
	for _, test := range []struct {
		name, group string
		entries     []hookfile.Entry
		want        string // present, missing, stale
	}{
		{"as it is written", group(good), grouped, "[Stop] [] []"},
		{"a matcher of all", `{"matcher": "*", "hooks": [` + good + `]}`, grouped, "[Stop] [] []"},
		{"an empty matcher", `{"matcher": "", "hooks": [` + good + `]}`, grouped, "[Stop] [] []"},
		{"a matcher of some", `{"matcher": "x", "hooks": [` + good + `]}`, grouped, "[] [] [Stop]"},
		{"a matcher that is no text", `{"matcher": null, "hooks": [` + good + `]}`, grouped, "[] [] [Stop]"},
		{"another member of the group", `{"if": "x", "hooks": [` + good + `]}`, grouped, "[] [] [Stop]"},
		{"a message", group(`{"type": "command", "command": ` + stop + `, "timeout": 1, "statusMessage": "x"}`), grouped, "[Stop] [] []"},
		{"another member", group(`{"type": "command", "command": ` + stop + `, "timeout": 9, "once": true}`), grouped, "[] [] [Stop]"},
		{"another type", group(`{"type": "prompt", "command": ` + stop + `, "timeout": 9}`), grouped, "[] [] [Stop]"},
		{"no type", group(`{"command": ` + stop + `, "timeout": 9}`), grouped, "[] [] [Stop]"},
		{"no limit", group(`{"type": "command", "command": ` + stop + `}`), grouped, "[] [] [Stop]"},
		{"a limit of one", group(`{"type": "command", "command": ` + stop + `, "timeout": 1}`), grouped, "[Stop] [] []"},
		{"a limit of less", group(`{"type": "command", "command": ` + stop + `, "timeout": 0.9}`), grouped, "[] [] [Stop]"},
		{"a limit that is text", group(`{"type": "command", "command": ` + stop + `, "timeout": "9"}`), grouped, "[] [] [Stop]"},
		{"a limit beyond every number", group(`{"type": "command", "command": ` + stop + `, "timeout": 1e999}`), grouped, "[] [] [Stop]"},
		{"another program", group(strings.Replace(good, "/a/", "/b/", 1)), grouped, "[] [] [Stop]"},
		{"a command of others", group(strings.Replace(good, "hook claude-code", "status", 1)), grouped, "[] [Stop] []"},
		{"a command that is no text", group(strings.Replace(good, stop, "7", 1)), grouped, "[] [Stop] []"},
		{"without a group", good, grouped, "[] [] [Stop]"},
		{"beside a good one", group(good) + ", " + group(strings.Replace(good, "/a/", "/b/", 1)), grouped, "[Stop] [] [Stop]"},
		{"twice", group(good) + ", " + group(good), grouped, "[Stop] [] [Stop]"},
		{"twice in a group", group(good + ", " + good), grouped, "[Stop] [] [Stop]"},
		{"nothing", "", grouped, "[] [Stop] []"},

		{"flat", `{"command": ` + stop + `, "timeout": 9}`, flat, "[Stop] [] []"},
		{"flat with a type", good, flat, "[Stop] [] []"},
		{"flat with a matcher", `{"command": ` + stop + `, "timeout": 9, "matcher": "*"}`, flat, "[] [] [Stop]"},
		{"flat without a limit", `{"command": ` + stop + `}`, flat, "[] [] [Stop]"},
		{"a group where there is none", group(good), flat, "[] [] [Stop]"},
	} {
		doc := `{"hooks": {"Stop": [` + test.group + `]}}`
		state, err := hookfile.Inspect([]byte(doc), test.entries, ours)
		if got := fmt.Sprint(state.Present, " ", state.Missing, " ", state.Stale); got != test.want || err != nil {
			t.Errorf("%s: %s, want %s, %v", test.name, got, test.want, err)
		}
		out, changed, err := hookfile.Install([]byte(doc), test.entries, ours)
		if serves := strings.HasPrefix(test.want, "[Stop] [] []"); serves != (len(changed) == 0) || serves != (string(out) == doc) || err != nil {
			t.Errorf("%s: changed %q, %v: %s", test.name, changed, err, out)
		}
		state, err = hookfile.Inspect(out, test.entries, ours)
		if got := fmt.Sprint(state.Present, state.Missing, state.Stale, len(state.Commands)); got != "[Stop] [] [] 1" || err != nil {
			t.Errorf("%s: after an install %s, %v: %s", test.name, got, err, out)
		}
	}
}

func TestAnEntryUnderAnEventThatIsNotWantedIsTakenOut(t *testing.T) {
	t.Parallel()
	entry := []hookfile.Entry{{Event: "Stop", Command: "/a/git-trace hook claude-code Stop", Timeout: 10}}
	doc := `{"hooks": {"Old": [{"hooks": [{"type": "command", "command": "/a/git-trace hook claude-code Old", "timeout": 9}]}]}}`
	state, err := hookfile.Inspect([]byte(doc), entry, ours)
	if err != nil || !slices.Equal(state.Stale, []string{"Old"}) || !slices.Equal(state.Missing, []string{"Stop"}) {
		t.Errorf("%+v, %v", state, err)
	}
	out, changed, err := hookfile.Install([]byte(doc), entry, ours)
	if err != nil || !slices.Equal(changed, []string{"Stop", "Old"}) || strings.Contains(string(out), "claude-code Old") {
		t.Errorf("%q, %v: %s", changed, err, out)
	}
}

func TestRemovalTakesAlongWhatInstallMadeAndNothingElse(t *testing.T) {
	t.Parallel()
	const handler = `{"type": "command", "command": ` + stop + `, "timeout": 9}`
	for doc, want := range map[string]string{
		`{"hooks": {"Stop": [{"hooks": [` + handler + `]}]}}`:                                     `{"hooks": {"Stop": []}}`,
		`{"hooks": {"Stop": [` + "\n" + `{"hooks": [` + handler + `]}]}}`:                         `{"hooks": {}}`,
		`{"hooks": {` + "\n" + `"Stop": [` + "\n" + `{"hooks": [` + handler + `]}]}}`:             `{}`,
		`{` + "\n" + `"hooks": {"Stop": [` + "\n" + `{"hooks": [` + handler + `]}]}}`:             "{\n" + `"hooks": {}}`,
		`{"hooks": {"Stop": [1, {"hooks": [` + handler + `]}]}}`:                                  `{"hooks": {"Stop": [1]}}`,
		`{"hooks": {"Stop": [{"hooks": [` + handler + `]}, 1]}}`:                                  `{"hooks": {"Stop": [1]}}`,
		`{"hooks": {"Stop": [{"hooks": [1, ` + handler + `, 2]}]}}`:                               `{"hooks": {"Stop": [{"hooks": [1, 2]}]}}`,
		`{"hooks": {"A": 1, "Stop": [` + "\n" + `{"hooks": [` + handler + `]}], "B": 2}}`:         `{"hooks": {"A": 1, "B": 2}}`,
		`{"a": 1, "hooks": {` + "\n" + `"Stop": [` + "\n" + `{"hooks": [` + handler + `]}]}}`:     `{"a": 1}`,
		`{"hooks": 1, "hooks": {` + "\n" + `"Stop": [` + "\n" + `{"hooks": [` + handler + `]}]}}`: `{"hooks": 1}`,
		`{"hooks": {"Stop": [` + handler + `, 1]}}`:                                               `{"hooks": {"Stop": [1]}}`,
		`{"hooks": {"Stop": [{"hooks": [` + handler + `, 1], "x": ` + handler + `}]}}`:            `{"hooks": {"Stop": [{"hooks": [1], "x": ` + handler + `}]}}`,
	} {
		out, changed, err := hookfile.Remove([]byte(doc), ours)
		if string(out) != want || !slices.Equal(changed, []string{"Stop"}) || err != nil {
			t.Errorf("%s\nbecame %s\nwant %s, %q, %v", doc, out, want, changed, err)
		}
	}
}

func TestAFileOfOurMakingGoesAndABlankOneStays(t *testing.T) {
	t.Parallel()
	for _, list := range [][]hookfile.Entry{entries("/opt/git-trace"), flatEntries("/opt/git-trace")} {
		doc, _, err := hookfile.Install(nil, list, ours)
		if err != nil {
			t.Fatal(err)
		}
		for name, test := range map[string]struct {
			doc  string
			want string
			goes bool
		}{
			"as it was made":         {string(doc), "", true},
			"with other line ends":   {strings.ReplaceAll(string(doc), "\n", "\r\n"), "", true},
			"with a blank before":    {"\n" + string(doc), "\n\n", false},
			"with a blank behind":    {string(doc) + "\n", "\n\n", false},
			"without its line end":   {strings.TrimSuffix(string(doc), "\n"), "", false},
			"with a byte order mark": {"\xEF\xBB\xBF" + string(doc), "\xEF\xBB\xBF\n", false},
		} {
			out, changed, err := hookfile.Remove([]byte(test.doc), ours)
			if string(out) != test.want || (out == nil) != test.goes || len(changed) != 3 || err != nil {
				t.Errorf("%s: %q, %q, %v", name, out, changed, err)
			}
		}
	}
}

func TestANewPartIsWrittenAsItsDocumentIs(t *testing.T) {
	t.Parallel()
	list := []hookfile.Entry{{Event: "Stop", Command: "x <&>", Timeout: 10}}
	for doc, want := range map[string]string{
		"{\n\t\"a\": 1\n}":             "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{",
		"{\n\"a\": 1\n}":               "{\n\"a\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      {",
		"{\"a\": 1}":                   "{\"a\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      {",
		"{\r\n    \"a\": 1\r\n}":       "{\r\n    \"a\": 1,\r\n    \"hooks\": {\r\n        \"Stop\": [\r\n            {",
		"{}":                           "{\"hooks\": {\n    \"Stop\": [\n      {",
		"{\"hooks\": {\"A\": 1}}":      "{\"hooks\": {\"A\": 1,\n    \"Stop\": [\n      {",
		"{\"hooks\": {\"Stop\": [1]}}": "{\"hooks\": {\"Stop\": [1,\n      {",
		"{\"hooks\": {\"Stop\": []}}":  "{\"hooks\": {\"Stop\": [{\n        \"hooks\": [",
	} {
		out, _, err := hookfile.Install([]byte(doc), list, ours)
		if !strings.HasPrefix(string(out), want) || !strings.Contains(string(out), `"x <&>"`) || err != nil {
			t.Errorf("%q became %q, want %q, %v", doc, out, want, err)
		}
	}
}

func TestTheLineOfAFault(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		"x": "line 1:", "\nx": "line 2:", "{\n\n\"a\" 1}": "line 3:", "{\"a\":\n": "line 1:", "[1,\n2\n3]": "line 3:", "{}\n\n]": "line 3:",
		"{\"a\": \"\n\"}": "line 1:",
	} {
		_, err := hookfile.Inspect([]byte(doc), nil, ours)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", doc, err)
		}
	}
}

func TestWhatOnlyLooksLikeAnEntryIsNone(t *testing.T) {
	t.Parallel()
	const handler = `{"type": "command", "command": ` + stop + `, "timeout": 9}`
	for _, doc := range []string{
		`{"hooks": {"Stop": {"a": ` + handler + `}}}`, `{"hooks": {"Stop": {"a": {"hooks": [` + handler + `]}}}}`, `{"hooks": {"Stop": [{"hooks": {"a": ` + handler + `}}]}}`,
		`{"hooks": {"Stop": [[` + handler + `]]}}`, `{"other": {"Stop": [` + handler + `]}}`, `{"hooks": {"Stop": [` + stop + `]}}`,
	} {
		state, err := hookfile.Inspect([]byte(doc), nil, ours)
		if err != nil || len(state.Stale) > 0 || len(state.Commands) > 0 {
			t.Errorf("%s: %+v, %v", doc, state, err)
		}
	}
}
