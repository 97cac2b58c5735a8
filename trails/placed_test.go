package trails

import (
	"testing"

	"github.com/git-trace/git-trace/events"
)

func TestAnEditIsPutWhereItsLineIs(t *testing.T) {
	t.Parallel()
	edit := declared{New: "nil, err\n}", at: &events.Place{Line: 2, Column: 8, Text: "return "}}
	for name, test := range map[string]struct {
		text          string
		edit          declared
		before, after string
	}{
		"the buffer is the file":            {"func\nreturn \nend\n", edit, "func\nreturn \nend\n", "func\nreturn nil, err\n}\nend\n"},
		"it is saved already":               {"func\nreturn nil, err\n}\n", edit, "func\nreturn \n", "func\nreturn nil, err\n}\n"},
		"the line was typed since":          {"func\nre\n", edit, "func\nreturn \n", "func\nreturn nil, err\n}\n"},
		"a line behind the last one":        {"func\n", edit, "func\nreturn ", "func\nreturn nil, err\n}"},
		"lines end with carriage returns":   {"func\r\nreturn \r\n", edit, "func\r\nreturn \r\n", "func\r\nreturn nil, err\n}\r\n"},
		"columns count characters":          {"é = 1\n", declared{Old: "1", New: "2", at: &events.Place{Line: 1, Column: 5, Text: "é = 1"}}, "é = 1\n", "é = 2\n"},
		"another line stands there":         {"func\nx()\n", edit, "", ""},
		"the file has fewer lines":          {"", edit, "", ""},
		"a line that is none":               {"func\n", declared{New: "x", at: &events.Place{Column: 1}}, "", ""},
		"a column behind the end of a line": {"a\n", declared{New: "x", at: &events.Place{Line: 1, Column: 9, Text: "a"}}, "", ""},
	} {
		got, ok := placed("p", []declared{test.edit}, [][]byte{[]byte(test.text)})
		if ok != (test.after != "") || ok && (*got.Before != test.before || *got.After != test.after) {
			t.Errorf("%s: %t, %+v", name, ok, got)
		}
	}
}
