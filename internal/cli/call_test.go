package cli

import (
	"context"
	"reflect"
	"testing"

	"github.com/git-trace/git-trace/internal/cells"
)

// parsed is what a verb gets to see of its arguments.
type parsed struct {
	ops    Operands
	count  int
	json   bool
	color  string
	agents []string
	err    string
}

// parseArgs runs a verb with some options on arguments.
func parseArgs(args ...string) parsed {
	var got parsed
	verb := &Command[any]{Name: "verb", Options: append(Options("json", "color", "agent"), LimitFlag("things"))}
	c, ops, help, err := verb.Read(context.Background(), args)
	if help {
		return got
	}
	if err != nil {
		return parsed{err: err.Error()}
	}
	got.ops, got.count, got.json, got.color = ops, c.Int("max-count"), c.Bool("json"), c.String("color")
	got.agents = c.StringSlice("agent")
	return got
}

func TestOptionsStandAnywhereBeforeTheDashes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		want parsed
	}{
		"nothing":                        {nil, parsed{count: -1}},
		"operands alone":                 {[]string{"a", "b"}, parsed{count: -1, ops: Operands{List: []string{"a", "b"}}}},
		"an option behind an operand":    {[]string{"a", "--json"}, parsed{count: -1, json: true, ops: Operands{List: []string{"a"}}}},
		"a value in the next argument":   {[]string{"-n", "3", "a"}, parsed{count: 3, ops: Operands{List: []string{"a"}}}},
		"a value with the letter":        {[]string{"-n3"}, parsed{count: 3}},
		"a value behind the equals sign": {[]string{"--max-count=3"}, parsed{count: 3}},
		"a number alone":                 {[]string{"-12"}, parsed{count: 12}},
		"colour without a value":         {[]string{"--color"}, parsed{count: -1, color: "always"}},
		"colour with one":                {[]string{"--color=auto"}, parsed{count: -1, color: "auto"}},
		"no colour":                      {[]string{"--no-color"}, parsed{count: -1, color: "never"}},
		"an option given twice":          {[]string{"--agent=a", "--agent", "b"}, parsed{count: -1, agents: []string{"a", "b"}}},
		"paths behind the dashes": {
			[]string{"main", "--", "--json", "-x"},
			parsed{count: -1, ops: Operands{List: []string{"main"}, Behind: []string{"--json", "-x"}, Dashed: true}},
		},
		"dashes alone":            {[]string{"--"}, parsed{count: -1, ops: Operands{Behind: []string{}, Dashed: true}}},
		"a word of the framework": {[]string{"help"}, parsed{count: -1, ops: Operands{List: []string{"help"}}}},
		"a single dash":           {[]string{"-"}, parsed{count: -1, ops: Operands{List: []string{"-"}}}},
		"an unknown option":       {[]string{"--what"}, parsed{err: "unknown option '--what'"}},
		"an unknown letter":       {[]string{"-x"}, parsed{err: "unknown option '-x'"}},
		"a value that is missing": {[]string{"a", "-n"}, parsed{err: "option '-n' needs a value"}},
		"a value that is no number": {
			[]string{"--max-count=many"}, parsed{err: "option '--max-count=many': 'many' is not allowed"},
		},
		"a value that is not taken": {[]string{"--json=yes"}, parsed{err: "option '--json' takes no value"}},
	} {
		if got := parseArgs(test.args...); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

func TestHelpIsPrintedAndNothingDone(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"-h", "--help"} {
		if got := parseArgs("a", arg); got.err != "" || got.ops.List != nil {
			t.Errorf("%s: %+v", arg, got)
		}
	}
}

func TestWordsAreJoined(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ got, want string }{
		"empty words":     {cells.Spaced("a", "", "b"), "a b"},
		"nothing to join": {cells.Dotted("", ""), ""},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", name, test.got, test.want)
		}
	}
}
