package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/internal/cli"
)

// A second spelling of one thing, or a second meaning of one spelling, has no place to stand: every option of every
// command is one of the table, in the table's words.
func TestOptionsMeanTheSameEverywhere(t *testing.T) {
	t.Parallel()
	spelled, told := map[string]string{}, map[string]string{}
	for _, form := range cli.Forms {
		for _, name := range form.Names {
			if other, taken := spelled[name]; taken {
				t.Errorf("%s is %s and %s", cli.Dashed(name), cli.Dashed(other), cli.Dashed(form.Names[0]))
			}
			spelled[name] = form.Names[0]
		}
		words := strings.ToLower(strings.NewReplacer("`", "", ",", "", ";", "").Replace(form.Does))
		if other, taken := told[words]; taken {
			t.Errorf("%s and %s are one thing", cli.Dashed(form.Names[0]), cli.Dashed(other))
		}
		told[words] = form.Names[0]
	}
	used := map[string]bool{}
	for _, c := range allCommands() {
		for _, o := range c.Options {
			used[o.Names[0]] = true
		}
	}
	for _, form := range cli.Forms {
		if !used[form.Names[0]] {
			t.Errorf("%s: no command has it", cli.Dashed(form.Names[0]))
		}
	}
}

var optionInForm = regexp.MustCompile(`(?:^|[\s\[(|])(--?[a-z][a-z-]*)(?: (<[^>]+>|[a-z-]+(?:\|[a-z-]+)+))?`)

// The forms of a command name only options that help tells of, each with the table's word for its value.
func TestFormsNameTheOptionsOfTheTable(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, c := range allCommands() {
		values := map[string]string{}
		for _, o := range c.Options {
			text, _ := o.Text()
			_, value, _ := strings.Cut(text, " <")
			for _, name := range o.Names {
				values[cli.Dashed(name)] = strings.TrimSuffix(value, ">")
			}
		}
		for form := range strings.SplitSeq(c.Form, "\n") {
			for _, found := range optionInForm.FindAllStringSubmatch(form, -1) {
				seen++
				value, shown := values[found[1]]
				switch {
				case !shown && c.Is(likeGit) && found[1] == "-L":
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
	if have := cli.FormParts(strings.Join(want, " ")); !slices.Equal(have, want) {
		t.Errorf("%q", have)
	}
}

// Help names every format that a command takes.
func TestHelpNamesEveryFormat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		command *command
		formats []string
	}{{statsCommand(), statsFormats}, {graphCommand(), []string{"text", "dot", "mermaid", "html", "json"}}} {
		for _, o := range tt.command.Options {
			for _, format := range tt.formats {
				if o.Names[0] == "format" && !strings.Contains(o.Does, format) {
					t.Errorf("help of %s does not name the format %s: %s", tt.command.Name, format, o.Does)
				}
			}
		}
	}
}
