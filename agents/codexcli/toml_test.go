package codexcli

import (
	"strings"
	"testing"
)

func TestSettingsAreFoundWhereverTheyStand(t *testing.T) {
	t.Parallel()
	const doc = `# comment = "no"
model = "gpt-5.5" # why
long = """
[not.a.table]
key = "no"
"""
list = [ "a", # first
  { x = "in a list" }, ]
[projects."/home/dev/my \"repo\""]
trust_level = "trusted"
[features]
hooks = false
[[servers]]
model = "no"
[hooks]
state = { "a:b" = { trusted_hash = "h1" } }
[a.b]
c.d = 'raw\n'
`
	settings, tables, err := readTOML(doc)
	if err != nil {
		t.Fatal(err)
	}
	conf := config{settings: settings, tables: tables}
	for want, path := range map[string][]string{
		"gpt-5.5": {"model"}, "trusted": {"projects", `/home/dev/my "repo"`, "trust_level"},
		"h1": {"hooks", "state", "a:b", "trusted_hash"}, `raw\n`: {"a", "b", "c", "d"},
	} {
		if s, found := conf.get(path...); !found || s.text != want || !strings.Contains(doc[s.start:s.end], want) {
			t.Errorf("%q is %+v, %v", path, s, found)
		}
	}
	if s, found := conf.get("features", "hooks"); !found || s.set {
		t.Errorf("features.hooks is %+v, %v", s, found)
	}
	if _, found := conf.get("not", "a", "table", "key"); found {
		t.Error("the inside of a string was read")
	}
	if _, found := conf.has("a", "b"); !found {
		t.Error("a table is missing")
	}
}

func TestWhatIsNotTOMLIsReportedWithItsLine(t *testing.T) {
	t.Parallel()
	for doc, line := range map[string]string{
		"a = 1\nb\n": "line 2", "[a\n": "line 1", "a = \n": "line 1", "a = \"x\nb = 1\n": "line 1", "x = [1, 2\n": "line",
		"a = {b = 1\n": "line", "a = 'x' y\n": "line 1", "[a] b\n": "line 1", `a = """x`: "line 1", `a = "\q"`: "line 1",
		"a = " + strings.Repeat("[", 200): "line 1",
	} {
		if _, _, err := readTOML(doc); err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("%q: %v, want %s", doc, err, line)
		}
	}
}

func FuzzReadTOML(f *testing.F) {
	f.Add("[a.\"b\"]\nc = [1, {d = 'x'}]\n")
	f.Add("a = \"\"\"\nx\"\"\"\"\n[[b]]\n")
	f.Add("[hooks.state.\"/x:y:0:0\"]\ntrusted_hash = \"sha256:0\"\n")
	f.Fuzz(func(t *testing.T, doc string) {
		settings, tables, err := readTOML(doc)
		if err != nil {
			return
		}
		for _, s := range settings {
			if !s.inline && (s.start < 0 || s.end > len(doc) || s.start >= s.end) {
				t.Errorf("%+v lies outside of the document", s)
			}
		}
		for _, h := range tables {
			if h.end > len(doc) {
				t.Errorf("%+v lies outside of the document", h)
			}
		}
		// What is written down is found again.
		text := strings.ToValidUTF8(doc, "")
		again, _, err := readTOML("k = " + quoteTOML(text) + "\n")
		if err != nil || len(again) != 1 || again[0].text != text {
			t.Errorf("%q is read as %+v, %v", text, again, err)
		}
	})
}
