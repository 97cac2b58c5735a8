package windsurf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/windsurf"
)

func read(raw string) (list []*records.Record, err error) {
	err = windsurf.Read(strings.NewReader(raw), func(_ int, r *records.Record) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

func example(t testing.TB) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "testdata", "formats", "windsurf.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// The calls behind an answer are its own. An edit has the lines that it wrote; what was declined, failed or still runs
// is told.
func TestATrajectoryIsOneConversation(t *testing.T) {
	t.Parallel()
	list, err := read(example(t))
	if err != nil || len(list) != 1 {
		t.Fatalf("%d, %v", len(list), err)
	}
	r := list[0]
	if len(r.Steps) != 5 || len(r.Check()) > 0 || r.Agent.Name != windsurf.Name {
		t.Fatalf("%d steps, %v", len(r.Steps), r.Check())
	}
	var errs []string
	for _, o := range r.Steps[1].Observations {
		errs = append(errs, records.Value(o.Error))
	}
	if got := strings.Join(errs, " "); got != "  exit_code:2 rejected tool_error no_result" {
		t.Errorf("errors %q", got)
	}
	if s := r.Steps[1].Snippets; len(s) == 0 || s[0].FilePath != "a.go" || *s[0].StartLine != 1 {
		t.Errorf("snippets %+v", s)
	}
	if input := string(r.Steps[3].ToolCalls[0].Input); !strings.Contains(input, `"/home/dev/shop/b c.go"`) {
		t.Errorf("input %s", input)
	}
	again, err := read(example(t))
	if err != nil || again[0].TraceID != r.TraceID {
		t.Errorf("a second time it is another conversation: %v", err)
	}
}

func TestWhatIsNoTrajectoryIsRefusedWithItsPlace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string][2]string{
		"empty":          {"", "line 1, byte 0: "},
		"no member":      {`{"type":"find","status":"done"}`, "line 1, byte 0: "},
		"no type":        {example(t) + `{"a":1}`, "line 12, byte "},
		"cut":            {example(t)[:200], "line 3, byte 200: "},
		"another object": {`{"type":"find","find":[]}`, "line 1, byte 0: "},
	} {
		if list, err := read(test[0]); err == nil || !strings.HasPrefix(err.Error(), test[1]) || len(list) > 0 {
			t.Errorf("%s: %d, %v", name, len(list), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(example(f))
	f.Add(`{"type":"code_action","status":"done","code_action":{"path":"file://%zz","new_content":"a"}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		list, err := read(raw)
		if err != nil {
			return
		}
		for _, r := range list {
			if faults := r.Check(); len(faults) > 0 {
				t.Fatal(faults)
			}
			if _, err := records.Encode(r); err != nil {
				t.Fatal(err)
			}
		}
	})
}
