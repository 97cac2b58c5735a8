package gitblame

import (
	"errors"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/refs/gitargs"
)

func TestEveryOptionThatGitBlamePrintsIsKnown(t *testing.T) {
	t.Parallel()
	usage, _ := exec.Command("git", "blame", "-h").Output() // exits with 129
	seen := 0
	for line := range strings.Lines(string(usage)) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\n"), "[no-]", "") // which git prints from 2.43 on
		m := regexp.MustCompile(`^    ((?:-\S+, )?-\S+)( <|\[|  | [a-z]|$)`).FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for _, word := range strings.Split(m[1], ", ") {
			seen++
			word, _, hasValue := strings.Cut(word, "[")
			var spec option
			var ok bool
			if long, is := strings.CutPrefix(word, "--"); is {
				spec, _, ok = gitargs.Long(ownOptions, long)
			} else {
				spec, ok = gitargs.Short(ownOptions, word[1])
			}
			switch {
			case !ok:
				t.Errorf("git blame has %s, which is not in the table", word)
			case hasValue && spec.value != gitargs.Optional:
				t.Errorf("%s takes an optional value", word)
			case strings.HasPrefix(m[2], " <") != (spec.value == gitargs.Required):
				t.Errorf("%s: whether it takes a value differs from %q", word, line)
			}
		}
	}
	if seen < 25 {
		t.Fatalf("found only %d options in the usage text:\n%s", seen, usage)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	isRev := func(word string) bool { return word == "HEAD" || word == "main" }
	tests := map[string]struct {
		args string
		want func(o *Options)
		git  string // the arguments for git, without ours and without formats
		revs string
		file string // "" when git will print its usage
	}{
		"a file alone is the work tree's":           {args: "f", git: "f", file: "f"},
		"a revision comes first":                    {args: "HEAD f", git: "HEAD f", revs: "HEAD", file: "f"},
		"or last":                                   {args: "f HEAD", git: "f HEAD", revs: "HEAD", file: "f"},
		"two names of revisions: the second is one": {args: "main HEAD", git: "main HEAD", revs: "HEAD", file: "main"},
		"after a double dash the file comes first":  {args: "-- f HEAD", git: "-- f HEAD", revs: "HEAD", file: "f"},
		"revisions may stand before the dashes":     {args: "A..B -- f", git: "A..B -- f", revs: "A..B", file: "f"},
		"a file may look like an option":            {args: "-- -w", git: "-- -w", file: "-w"},
		"options may come last":                     {args: "f -w", git: "f -w", file: "f"},
		"nothing to blame":                          {args: "-w", git: "-w"},
		"nothing after the dashes":                  {args: "f --", git: "f --"},
		"pseudo revisions count as positional": {
			args: "--not main HEAD f", git: "--not main HEAD f", revs: "--not main HEAD", file: "f",
		},
		"ours go to nobody else": {
			args: "--json --prompts --only-ai f", git: "f", file: "f",
			want: func(o *Options) { o.Format, o.Prompts, o.OnlyAI = JSON, true, true },
		},
		"ours can be taken back": {args: "--json --no-json --prompts --no-prompts f", git: "f", file: "f"},
		"json says more than any format of git's": {
			args: "--json -p --incremental f", git: "f", file: "f", want: func(o *Options) { o.Format = JSON },
		},
		"incremental goes before porcelain": {
			args: "--incremental -p f", git: "f", file: "f", want: func(o *Options) { o.Format = Incremental },
		},
		"line porcelain implies porcelain in any order": {
			args: "--line-porcelain -p f", git: "f", file: "f", want: func(o *Options) { o.Format = LinePorcelain },
		},
		"a format can be taken back": {args: "-p --no-porcelain f", git: "f", file: "f"},
		"short options in one word": {
			args: "-swl f", git: "-s -w -l f", file: "f",
			want: func(o *Options) { o.NoAuthor, o.LongHash = true, true },
		},
		"a value in the same word": {
			args: "-sL1,5 -C40 -M f", git: "-s -L1,5 -C40 -M f", file: "f",
			want: func(o *Options) { o.NoAuthor, o.HasRange = true, true },
		},
		"a value in the next word": {
			args: "-wL 1,5 -S revs f", git: "-w -L 1,5 -S revs f", file: "f",
			want: func(o *Options) { o.HasRange, o.Grafted = true, true },
		},
		"an abbreviated long option": {
			args: "--show-na --inc --cont x f", git: "--show-na --cont x f", file: "f",
			want: func(o *Options) {
				o.Format, o.ShowName, o.Contents, o.HasContents = Incremental, true, "x", true
			},
		},
		"an ambiguous abbreviation is for git to reject": {args: "--show f", git: "--show f", file: "f"},
		"negated options": {
			args: "--no-show-email --no-abbrev --no-color-lines f", git: "--no-show-email --no-abbrev --no-color-lines f",
			file: "f", want: func(o *Options) { o.Email, o.Abbrev, o.ColorLines = No, "0", No },
		},
		"a date in the next word": {
			args: "--date iso f", git: "--date iso f", file: "f", want: func(o *Options) { o.Date = "iso" },
		},
		"a date in the same word": {
			args: "--date=format:%Y=%m f", git: "--date=format:%Y=%m f", file: "f",
			want: func(o *Options) { o.Date = "format:%Y=%m" },
		},
		"limits of history": {
			args: "--since 2.weeks f", git: "--since 2.weeks f", file: "f", want: func(o *Options) { o.Limited = true },
		},
		"a number limits history": {args: "-5 f", git: "-5 f", file: "f", want: func(o *Options) { o.Limited = true }},
		"revision options with a value do not eat the file": {
			args: "--encoding latin1 --diff-algorithm patience --author x f HEAD", revs: "HEAD", file: "f",
			git:  "--encoding latin1 --diff-algorithm patience --author x f HEAD",
			want: func(o *Options) { o.Limited = true },
		},
		"an unknown option takes no value": {args: "--frobnicate f", git: "--frobnicate f", file: "f"},
		"reverse and first parent": {
			args: "--reverse --first-parent A.. f", git: "--reverse --first-parent A.. f", revs: "A..", file: "f",
			want: func(o *Options) { o.Reverse, o.FirstParent = true, true },
		},
		"an option without the value it needs is for git to reject": {args: "f -L", git: "f -L", file: "f"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse(strings.Fields(test.args))
			if err != nil {
				t.Fatal(err)
			}
			if git := strings.Join(got.gitArgs(nil, formats)[1:], " "); git != test.git {
				t.Errorf("git gets %q, not %q", git, test.git)
			}
			target, ok := got.target(isRev)
			if ok != (test.file != "") || target.file != test.file || strings.Join(target.revs, " ") != test.revs {
				t.Errorf("file %q at %q, not %q at %q", target.file, target.revs, test.file, test.revs)
			}
			want := Options{}
			if test.want != nil {
				test.want(&want)
			}
			got.args, got.words, got.after, got.dashes = nil, nil, nil, false
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestHelpIsAskedForAsInGit(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-h", "f -h", "-sh f", "--help", "--help-all"} {
		if _, err := Parse(strings.Fields(args)); !errors.Is(err, ErrHelp) {
			t.Errorf("%s: error %v", args, err)
		}
	}
	for _, args := range []string{"-L/h/ f", "-- -h", "-Sh f"} {
		if _, err := Parse(strings.Fields(args)); err != nil {
			t.Errorf("%s: error %v", args, err)
		}
	}
}

func TestThePathOfAFileArgument(t *testing.T) {
	t.Parallel()
	tests := []struct{ top, cwd, file, want string }{
		{"/r", "/r", "f", "f"},
		{"/r", "/r/a/b", "f", "a/b/f"},
		{"/r", "/r/a/b", "../../f", "f"},
		{"/r", "/r/a", "./x//y", "a/x/y"},
		{"/r", "/r/a", "/r/b/f", "b/f"},
		{"/r", "/r/a", "../../f", ""},
		{"/r", "/r", "/s/f", ""},
		{"/r", "/elsewhere", "f", "f"},
		{"", "/bare.git", "a/b", "a/b"},
	}
	for _, test := range tests {
		got, ok := repoPath(test.top, test.cwd, test.file)
		if ok != (test.want != "") || ok && got != test.want {
			t.Errorf("%s in %s of %s: %q %v, not %q", test.file, test.cwd, test.top, got, ok, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("-L1,5 -swC40 HEAD -- f")
	f.Add("--show-na --date=x --since y --json")
	f.Fuzz(func(t *testing.T, text string) {
		args := strings.Split(text, " ")
		opts, err := Parse(args)
		if err != nil {
			return
		}
		_, _ = opts.target(func(string) bool { return true })
		if n := len(opts.gitArgs(nil)) - 1; n > 2*len(text)+len(args) {
			t.Fatalf("%d arguments from %q", n, text)
		}
	})
}
