package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// gitsOwn are commands whose forms name options of git's beside their own.
var gitsOwn = []string{"blame", "diff"}

// A second spelling of one thing, or a second meaning of one spelling, has no place to stand: every option of every
// command is one of the table, in the table's words.
func TestOptionsMeanTheSameEverywhere(t *testing.T) {
	t.Parallel()
	spelled, told := map[string]string{}, map[string]string{}
	for _, form := range optionForms {
		for _, name := range form.names {
			if other, taken := spelled[name]; taken {
				t.Errorf("%s is %s and %s", dashed(name), dashed(other), dashed(form.names[0]))
			}
			spelled[name] = form.names[0]
		}
		words := strings.ToLower(strings.NewReplacer("`", "", ",", "", ";", "").Replace(form.does))
		if other, taken := told[words]; taken {
			t.Errorf("%s and %s are one thing", dashed(form.names[0]), dashed(other))
		}
		told[words] = form.names[0]
	}
	used := map[string]bool{}
	for _, c := range (&app{}).program().Commands {
		for _, f := range c.Flags {
			name := f.Names()[0]
			used[name] = true
			i := slices.IndexFunc(optionForms, func(form optionForm) bool { return form.names[0] == name })
			if i < 0 {
				t.Errorf("git trace %s %s: not in the table", c.Name, dashed(name))
				continue
			}
			use, documented := f.(cli.DocGenerationFlag)
			if !documented || !strings.HasPrefix(use.GetUsage(), optionForms[i].does) {
				t.Errorf("git trace %s %s: told in other words than elsewhere", c.Name, dashed(name))
			}
			if takes := optionForms[i].kind != takesNothing; takes != use.TakesValue() {
				t.Errorf("git trace %s %s: with a value: %v", c.Name, dashed(name), use.TakesValue())
			}
		}
	}
	for _, form := range optionForms {
		if !used[form.names[0]] {
			t.Errorf("%s: no command has it", dashed(form.names[0]))
		}
	}
}

// An option that is written beside the table could say what it likes.
func TestOptionsAreMadeOfTheTable(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	made := regexp.MustCompile(`&cli\.\w+Flag\{`)
	for _, file := range files {
		name := file.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name == "options.go" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := made.Find(text); found != nil {
			t.Errorf("%s: %s", name, found)
		}
	}
}

var optionInForm = regexp.MustCompile(`(?:^|[\s\[(|])(--?[a-z][a-z-]*)(?: (<[^>]+>|[a-z-]+(?:\|[a-z-]+)+))?`)

// The forms of a command name only options that help tells of, each with the table's word for its value.
func TestFormsNameTheOptionsOfTheTable(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, c := range (&app{}).program().Commands {
		values := map[string]string{}
		for _, f := range c.Flags {
			text, _ := optionText(f)
			_, value, _ := strings.Cut(text, " <")
			for _, name := range shownNames(f) {
				values[dashed(name)] = strings.TrimSuffix(value, ">")
			}
		}
		for form := range strings.SplitSeq(c.UsageText, "\n") {
			for _, found := range optionInForm.FindAllStringSubmatch(form, -1) {
				seen++
				value, shown := values[found[1]]
				switch {
				case !shown && slices.Contains(gitsOwn, c.Name) && found[1] == "-L":
				case !shown:
					t.Errorf("%s: %q names %s, which help does not", c.Name, form, found[1])
				case value != "" && strings.HasPrefix(found[2], "<") && strings.Trim(found[2], "<>") != value:
					t.Errorf("%s: %q has the value %s for %s, help %q", c.Name, form, found[2], found[1], value)
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d options were found in forms", seen)
	}
}

func TestFormsBreakBetweenTheirParts(t *testing.T) {
	t.Parallel()
	want := []string{"--format <format>", "[--only <a> | <b>]…", "(--id <id> | [<x>])", "<file>…"}
	if have := formParts(strings.Join(want, " ")); !slices.Equal(have, want) {
		t.Errorf("%q", have)
	}
}
