package diff

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs/gitargs"
)

// Whether a word is the value of an option decides what the next one is: the table must know every option of git's that
// takes a value from the next word.
func TestEveryOptionOfGitDiffWithAValueIsKnown(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("git", "diff", "--git-completion-helper-all").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for word := range strings.FieldsSeq(string(out)) {
		name, needsValue := strings.CutSuffix(strings.TrimPrefix(word, "--"), "=")
		if name == "" || !needsValue {
			continue
		}
		seen++
		if spec, _, known := gitargs.Long(gitOptions, name); !known || spec.long != name || spec.value != gitargs.Required {
			t.Errorf("git diff --%s takes a value", name)
		}
	}
	if seen < 15 {
		t.Errorf("git told %d options with a value", seen)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct {
		words, git string
		check      func(o *Options) bool
	}{
		"--json HEAD":           {"HEAD", "HEAD", func(o *Options) bool { return o.JSON }},
		"-S --json HEAD":        {"HEAD", "-S --json HEAD", func(o *Options) bool { return !o.JSON }},
		"-wU5 a b":              {"a b", "-w -U5 a b", func(o *Options) bool { return o.compares && o.Patch }},
		"-- --json":             {"", "-- --json", func(o *Options) bool { return !o.JSON && o.dashes }},
		"--name-o x":            {"x", "--name-o x", func(o *Options) bool { return o.Verbatim }},
		"--diff-filter A x":     {"x", "--diff-filter A x", func(o *Options) bool { return !o.Verbatim }},
		"--diff-filter=A x":     {"x", "--diff-filter=A x", func(o *Options) bool { return !o.Verbatim }},
		"--color --no-color x":  {"x", "x", func(o *Options) bool { return o.Color == "never" }},
		"--color=auto x":        {"x", "x", func(o *Options) bool { return o.Color == "auto" }},
		"--stat=80,20 -p":       {"", "--stat=80,20 -p", func(o *Options) bool { return o.Figures && o.Patch }},
		"--no-textconv":         {"", "--no-textconv", func(o *Options) bool { return !o.textconv }},
		"--relative=sub":        {"", "--relative=sub", func(o *Options) bool { return *o.relative == "sub" }},
		"-2 a":                  {"a", "-2 a", func(o *Options) bool { return o.Verbatim }},
		"--cached --merge-base": {"", "--cached --merge-base", func(o *Options) bool { return o.cached && o.mergeBase }},
		"-R --src-prefix=x/":    {"", "-R --src-prefix=x/", func(o *Options) bool { return o.reverse && o.prefixes[0] == "x/" }},
	} {
		o, err := Parse(strings.Fields(line))
		if err != nil || !slices.Equal(o.words, strings.Fields(want.words)) ||
			!slices.Equal(o.git, strings.Fields(want.git)) || !want.check(&o) {
			t.Errorf("%s: %+v, %v", line, o, err)
		}
	}
}
