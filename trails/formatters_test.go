package trails

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/trails/linediff"
)

func TestALineInAnotherFormIsTheOldOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, was, is string
		want          []int
	}{
		{"quotes, semicolons and indentation", "a = 'x'\n  b()\n", "a = \"x\";\nb();\n", []int{0, 1}},
		{"wrapped", "call(one, two, three)\nnext\n", "call(\n  one,\n  two,\n  three,\n);\nnext;\n", []int{0, 0, 0, 0, 0, 1}},
		{"joined, of two owners", "f(\n  x,\n  y\n)\n", "f(x, y);\n", []int{0}},
		{"escapes", `s = 'it\'s'` + "\n", `s = "it's";` + "\n", []int{0}},
		{"a line between that is new", "a = 1\nb = 2\n", "import z\na = 1;\nb = 2;\n", []int{-1, 0, 1}},
		{"another word", "a = 1\n", "a = 2;\n", []int{-1}},
		{"nothing but form", "a\n", "a;\n;\n", []int{0, -1}},
		{"rewrapped, then changed", "f(a, b)\nold\n", "f(\n  a,\n  b\n)\nnew\n", []int{0, 0, 0, 0, -1}},
		{"deleted", "a\nb\n", "", []int{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := reformed(linediff.Split([]byte(c.was)), linediff.Split([]byte(c.is)))
			if !slices.Equal(got, c.want) {
				t.Errorf("%s\nto\n%s\n%v, want %v", strings.TrimSpace(c.was), strings.TrimSpace(c.is), got, c.want)
			}
		})
	}
}
