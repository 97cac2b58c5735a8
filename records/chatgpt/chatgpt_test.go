package chatgpt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/chatgpt"
)

func read(raw string) (list []*records.Record, err error) {
	err = chatgpt.Read(strings.NewReader(raw), func(_ int, r *records.Record) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

const example = `[{"title":"T","conversation_id":"c","current_node":"e","mapping":{"root":{"message":null,"parent":null},
"a":{"parent":"root","message":{"author":{"role":"user"},"create_time":1778900000.5,"content":{"content_type":"text","parts":["count"]}}},
"other":{"parent":"a","message":{"author":{"role":"assistant"},"content":{"parts":["taken back"]}}},
"b":{"parent":"a","message":{"author":{"role":"assistant"},"recipient":"python","metadata":{"model_slug":"gpt-5"},"content":{"content_type":"code","text":"1+1"}}},
"c":{"parent":"b","message":{"author":{"role":"tool"},"content":{"content_type":"execution_output","text":"2"}}},
"e":{"parent":"c","message":{"author":{"role":"assistant"},"recipient":"all","content":{"content_type":"multimodal_text","parts":["two",{"content_type":"image_asset_pointer"}]}}}}}]`

func TestTheBranchThatWasShownIsTaken(t *testing.T) {
	t.Parallel()
	list, err := read(example)
	if err != nil || len(list) != 1 || len(list[0].Steps) != 3 {
		t.Fatalf("%v %v", list, err)
	}
	r := list[0]
	call := r.Steps[1]
	if r.SessionID != "c" || *r.Steps[0].Content != "count" || string(call.ToolCalls[0].Input) != `{"code":"1+1"}` ||
		*call.Observations[0].Content != "2" || *r.Steps[2].Content != "two\n\n[image_asset_pointer]" ||
		string(r.Metadata["messages_of_other_branches"]) != "1" || len(r.Check()) > 0 {
		t.Errorf("%+v", r)
	}
	for name, raw := range map[string]string{"a ring": `{"current_node":"a","mapping":{"a":{"parent":"a","message":null}}}`,
		"cut off": example[:300], "nothing": "", "no tree": `{"mapping":[]}`} {
		if _, err := read(raw); err == nil || !strings.Contains(err.Error(), "byte") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRealFiles(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("GITTRACE_CORPUS")
	if dir == "" {
		t.Skip("GITTRACE_CORPUS names no directory of real files")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "chatgpt-export", "*"))
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := read(string(raw))
		if err != nil || len(list) == 0 {
			t.Errorf("%s: %d, %v", name, len(list), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(example)
	f.Fuzz(func(t *testing.T, raw string) {
		list, _ := read(raw)
		for _, r := range list {
			if faults := r.Check(); len(faults) > 0 {
				t.Errorf("%v", faults)
			}
		}
	})
}
