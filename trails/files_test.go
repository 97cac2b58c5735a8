package trails

import (
	"testing"

	"github.com/git-trace/git-trace/refs"
)

func textOf(s string) text {
	if s == "" {
		return text{}
	}
	return newText(refs.SHA1.Hash(refs.BlobObject, []byte(s)), []byte(s))
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
