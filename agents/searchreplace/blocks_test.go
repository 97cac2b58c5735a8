package searchreplace_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/searchreplace"
)

func TestTheBlocksOfEachAgent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []searchreplace.Block
	}{
		"Aider": {"a.go\n```go\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n```", []searchreplace.Block{{At: 2, Old: "old\n", New: "new\n"}}},
		"Cline": {"------- SEARCH\n1\n=======\n2\n+++++++ REPLACE\n", []searchreplace.Block{{Old: "1\n", New: "2\n"}}},
		"Roo, which tells the line": {
			"<<<<<<< SEARCH\n:start_line:12\n-------\nold\n=======\nnew\n>>>>>>> REPLACE",
			[]searchreplace.Block{{Old: "old\n", New: "new\n", OldLine: 12}},
		},
		"two, one of nothing":       {"<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n<<<<<<< SEARCH\ny\n=======\n>>>>>>> REPLACE", []searchreplace.Block{{New: "x\n"}, {At: 4, Old: "y\n"}}},
		"one that breaks off":       {"<<<<<<< SEARCH\nold\n=======\nnew\n", nil},
		"a conflict of git":         {"<<<<<<< HEAD\nold\n=======\nnew\n>>>>>>> topic\n", nil},
		"too few signs":             {"<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE", nil},
		"a line of different signs": {"<<--<<- SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE", nil},
	} {
		if got := searchreplace.Blocks(strings.Split(test.text, "\n"), 10); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add("<<<<<<< SEARCH\n:start_line:1\n-------\nold\n=======\nnew\n>>>>>>> REPLACE")
	f.Fuzz(func(t *testing.T, text string) {
		for _, b := range searchreplace.Blocks(strings.Split(text, "\n"), 100) {
			if !strings.Contains(text, strings.TrimSuffix(b.New, "\n")) || b.OldLine < 0 {
				t.Errorf("%+v is not in the text", b)
			}
		}
	})
}
