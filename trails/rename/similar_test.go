package rename

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/moment"
)

// contentOf is a content under a name.
func contentOf(path, content string) File {
	return File{Path: path, OID: refs.SHA1.Hash(refs.BlobObject, []byte(content)), Lines: linediff.Split([]byte(content))}
}

func TestHowAlikeTwoFilesAre(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		a, b string
		want int
	}{
		"equal":                                  {"one\ntwo\n", "one\ntwo\n", 100},
		"white space does not count":             {"one\n two\n", "one\ntwo\n", 100},
		"half of the characters":                 {"aaa\nbbb\n", "aaa\nccc\n", 50},
		"less than half":                         {"aaa\nbbbb\n", "aaa\ncccc\n", 0},
		"a line counts as often as both have it": {"a\na\na\n", "a\nb\nb\n", 0},
		"three telling lines of a file that grew": {
			"line one\nline two\nline three\n", "line one\nline two\nline three\n" + strings.Repeat("something else\n", 9), 17,
		},
		"two telling lines are too few": {"line one\nline two\n", "line one\nline two\n" + strings.Repeat("something else\n", 9), 0},
		"lines of five characters tell nothing": {
			"12345\n23456\n34567\n", "12345\n23456\n34567\n" + strings.Repeat("something else\n", 9), 0,
		},
	}
	for name, tt := range tests {
		a, b := contentOf("a", tt.a), contentOf("b", tt.b)
		got := Alike(Count(a.Lines), len(a.Lines), Count(b.Lines), len(b.Lines))
		if got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

func TestRenamesArePairedByContent(t *testing.T) {
	t.Parallel()
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	tests := map[string]struct {
		before, after map[string]string // path → content
		want          map[string]string // new path → old path
	}{
		"the same content":          {map[string]string{"a": "x\n"}, map[string]string{"b": "x\n"}, map[string]string{"b": "a"}},
		"most of the lines":         {map[string]string{"a": ten}, map[string]string{"b": strings.Replace(ten, "5", "five", 1)}, map[string]string{"b": "a"}},
		"a file that grew":          {map[string]string{"a": "first\nsecond\nthird one\nfourth\n"}, map[string]string{"b": "second\nthird one\nfourth\n" + ten}, map[string]string{"b": "a"}},
		"braces alone":              {map[string]string{"a": "{\n}\n{\n}\n"}, map[string]string{"b": "{\n}\n{\n}\n" + ten}, nil},
		"braces in another file":    {map[string]string{"a": "\nend\nreturn_17_001(first, last)\n"}, map[string]string{"b": "return_19_001(first, last)\n\n\tcheck_19_002(first, last)\n\tend\n"}, nil},
		"hardly any line":           {map[string]string{"a": ten}, map[string]string{"b": "1\nx\ny\nz\n"}, nil},
		"re-indented":               {map[string]string{"a": ten}, map[string]string{"b": strings.ReplaceAll(ten, "\n", " \n")}, map[string]string{"b": "a"}},
		"two of one content":        {map[string]string{"a": "x\n", "c": "x\n"}, map[string]string{"b": "x\n", "d": "x\n"}, map[string]string{"b": "a", "d": "c"}},
		"nothing was deleted":       {nil, map[string]string{"b": "x\n"}, nil},
		"the more alike one wins":   {map[string]string{"a": ten, "c": strings.Replace(ten, "5", "five", 1)}, map[string]string{"b": strings.Replace(ten, "5", "five", 1)}, map[string]string{"b": "c"}},
		"an empty file is no match": {map[string]string{"a": ten}, map[string]string{"b": "\n"}, nil},
	}
	for name, tt := range tests {
		q := &Query{Moment: moment.Stashed}
		var born []*File
		for _, p := range []string{"a", "b", "c", "d"} {
			if before, found := tt.before[p]; found {
				q.Changes = append(q.Changes, Change{Old: contentOf(p, before)})
			}
			if after, found := tt.after[p]; found {
				f := contentOf(p, after)
				born = append(born, &f)
			}
		}
		got := map[string]string{}
		for _, p := range match("deleted", olds(q), born) {
			got[p.New.Path] = p.Old.Path
		}
		if len(got) != len(tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
		for path, want := range tt.want {
			if got[path] != want {
				t.Errorf("%s: %s comes from %q, want %s", name, path, got[path], want)
			}
		}
	}
}

// olds are what a query deletes.
func olds(q *Query) []*File {
	var out []*File
	_ = deleted(q, nil, func(old []*File) { out = old })
	return out
}

// Too many files are compared by their whole content alone.
func TestManyFilesAreNotComparedLineByLine(t *testing.T) {
	t.Parallel()
	var old, born []*File
	for range renameLimit + 1 {
		o, b := contentOf("old", "one\ntwo\nthree\n"), contentOf("new", "one\ntwo\nfour\n")
		old, born = append(old, &o), append(born, &b)
	}
	if got := match("", old, born); len(got) != 0 {
		t.Errorf("%d were paired", len(got))
	}
}
