package trails

import (
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs"
)

func textOf(s string) text {
	if s == "" {
		return text{}
	}
	return newText(refs.SHA1.Hash(refs.BlobObject, []byte(s)), []byte(s))
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var files []*file
			for _, p := range []string{"a", "b", "c", "d"} {
				before, after := tt.before[p], tt.after[p]
				if before != "" || after != "" {
					files = append(files, &file{path: p, oldPath: p, old: textOf(before), new: textOf(after)})
				}
			}
			for _, f := range pairRenames(files) {
				if f.new.oid.IsZero() {
					continue
				}
				want := tt.want[f.path]
				if want == "" {
					want = f.path
				}
				if f.oldPath != want {
					t.Errorf("%s comes from %s, want %s", f.path, f.oldPath, want)
				}
			}
		})
	}
}

func TestAChainOfContentsMustLieOnTheWay(t *testing.T) {
	t.Parallel()
	link := func(from, to string) segment { return segment{from: textOf(from), to: textOf(to)} }
	base, mine, both := "a\nb\nc\n", "a\nmine\nb\nc\n", "a\nmine\nb\nhis\nc\n"
	tests := map[string]struct {
		chain []segment
		want  bool
	}{
		"one part after the other": {[]segment{link(base, mine), link(mine, both)}, true},
		"at once":                  {[]segment{link(base, both)}, true},
		"a report from before the other's change": {[]segment{link(base, "a\nc\n"), link("a\nc\n", mine), link(mine, both)}, false},
		"white space between the parts":           {[]segment{link(base, " a\n b\n c\n"), link(" a\n b\n c\n", both)}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := consistent(textOf(base), textOf(both), tt.chain); got != tt.want {
				t.Errorf("consistent is %v, want %v", got, tt.want)
			}
		})
	}
}
