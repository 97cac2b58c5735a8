package diff

import (
	"errors"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs/gitargs"
)

// ErrHelp means that the arguments ask for help: -h or --help.
var ErrHelp = errors.New("help requested")

// Options holds the parsed arguments. Options of git are passed on to git.
type Options struct {
	JSON    bool
	Removed bool   // --removed: find the owners of removed lines; --json does that, too
	NoTrace bool   // --no-trace: git's output only
	Prompts bool   // --prompts: show prompts above the lines that they led to
	After   bool   // --after: a prompt or call means the moment of its end
	Color   string // always, never, auto; "" for the default

	// Only selects the hunks with a line of one of these owners (--only-ai and similar options); empty: all.
	Only []events.OwnerKind

	// Verbatim means that an option asks for a form of output that is not a patch for people. Then the output is git's
	// own.
	Verbatim bool
	Figures  bool // --stat and similar options: a patch is shown only if Patch is set
	Patch    bool

	cached, mergeBase bool
	reverse           bool    // -R
	relative          *string // --relative: nil if not given, "-" for --no-relative, "" without a path
	compares          bool    // an option changes how lines are compared
	picks             bool    // an option selects files or changes
	textconv          bool    // --no-textconv was not given
	prefixes          []string
	words, after      []string
	moments           map[string]Side // snapshots of moments, by the words for git
	dashes            bool
	git               []string // git's arguments in order, without ours
}

// role is the meaning of an option for this package. Most options have none.
type role uint8

const (
	passes   role = iota
	verbatim      // a form of output that is not a patch for people
	figures       // figures before the patch, or instead of it
	compares      // changes how lines are compared
	other         // set handles it
)

// option is an option of git-diff(1). Every option with a value must be listed, because the parser must know whether
// the next word is a value.
type option struct {
	short byte
	long  string
	value gitargs.Value
	role  role
	set   func(o *Options, value string, on bool)
}

func (o option) Names() (letter byte, word string) { return o.short, o.long }

// gitOptions lists the options of git diff that matter here. A test against git's own list shows missing ones.
var gitOptions = slices.Concat(
	alike(verbatim, gitargs.None, nil, "s:no-patch z raw patch-with-raw numstat check name-only name-status quiet",
		"ext-diff no-index cc combined-all-paths c m base ours theirs"),
	alike(verbatim, gitargs.Optional, nil, "word-diff color-words"),
	alike(verbatim, gitargs.Required, nil, "word-diff-regex line-prefix output-indicator-new output-indicator-old",
		"output-indicator-context output diff-merges"),
	alike(figures, gitargs.None, nil, "shortstat summary compact-summary cumulative"),
	alike(figures, gitargs.Optional, nil, "stat X:dirstat dirstat-by-file"),
	alike(figures, gitargs.Required, nil, "stat-width stat-name-width stat-graph-width stat-count"),
	alike(compares, gitargs.None, nil, "w:ignore-all-space b:ignore-space-change ignore-space-at-eol ignore-cr-at-eol",
		"ignore-blank-lines minimal patience histogram indent-heuristic D:irreversible-delete a:text"),
	alike(compares, gitargs.Optional, nil, "B:break-rewrites"),
	alike(compares, gitargs.Required, nil, "I:ignore-matching-lines diff-algorithm anchored"),
	alike(passes, gitargs.None, setPatch, "p:patch u patch-with-stat"),
	alike(passes, gitargs.Optional, setPatch, "U:unified"),
	alike(passes, gitargs.Required, setPicks, "S G diff-filter find-object"),
	alike(passes, gitargs.None, nil, "W:function-context t r binary full-index find-copies-harder no-renames rename-empty",
		"follow exit-code pickaxe-all pickaxe-regex ita-invisible-in-index ita-visible-in-index"),
	alike(passes, gitargs.Optional, nil, "M:find-renames C:find-copies abbrev color-moved ignore-submodules"),
	alike(passes, gitargs.Required, nil, "l O inter-hunk-context color-moved-ws ws-error-highlight rotate-to skip-to",
		"max-depth"),
	[]option{
		{long: "textconv", set: func(o *Options, _ string, on bool) { o.textconv = on }},
		{short: 'R', set: func(o *Options, _ string, _ bool) { o.reverse = true }},
		{long: "cached", set: func(o *Options, _ string, on bool) { o.cached = on }},
		{long: "staged", set: func(o *Options, _ string, on bool) { o.cached = on }},
		{long: "merge-base", set: func(o *Options, _ string, on bool) { o.mergeBase = on }},
		{long: "relative", value: gitargs.Optional, set: func(o *Options, value string, on bool) {
			if !on {
				value = "-"
			}
			o.relative = &value
		}},
		{long: "no-prefix", set: func(o *Options, _ string, _ bool) { o.prefixes = []string{"", ""} }},
		{long: "default-prefix", set: func(o *Options, _ string, _ bool) { o.prefixes = []string{"a/", "b/"} }},
		{long: "src-prefix", value: gitargs.Required, set: func(o *Options, value string, _ bool) { o.prefix(0, value) }},
		{long: "dst-prefix", value: gitargs.Required, set: func(o *Options, value string, _ bool) { o.prefix(1, value) }},
		{long: "color", value: gitargs.Optional, role: other, set: func(o *Options, value string, on bool) {
			switch {
			case !on:
				value = "never"
			case value == "":
				value = "always"
			}
			o.Color = value
		}},
		{long: "submodule", value: gitargs.Optional, set: func(o *Options, value string, _ bool) {
			o.Verbatim = o.Verbatim || value == "diff"
		}},
	},
)

// `alike` returns options that differ only in their names. A name is a letter, a word, or both with a colon.
func alike(role role, value gitargs.Value, set func(*Options, string, bool), names ...string) (all []option) {
	for name := range strings.FieldsSeq(strings.Join(names, " ")) {
		letter, word, both := strings.Cut(name, ":")
		one := option{long: name, value: value, role: role, set: set}
		if both || len(name) == 1 {
			one.short, one.long = letter[0], word
		}
		all = append(all, one)
	}
	return all
}

func setPicks(o *Options, _ string, _ bool) { o.picks = true }

func setPatch(o *Options, _ string, on bool) { o.Patch = on }

func (o *Options) prefix(side int, value string) {
	if o.prefixes == nil {
		o.prefixes = []string{"a/", "b/"}
	}
	o.prefixes[side] = value
}

// Parse parses the arguments of `git trace diff` in the grammar of git-diff(1): options and words in any order,
// clusters of short options, unique abbreviations of long ones. It does not check whether an argument is valid, because
// git does.
func Parse(argv []string) (Options, error) {
	o := Options{textconv: true}
	for at := 0; at < len(argv); at++ {
		word := argv[at]
		name, value, stuck := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		switch {
		case word == "--":
			o.dashes, o.after = true, argv[at+1:]
			o.git = append(o.git, argv[at:]...)
			return o, nil
		case word == "-h" || word == "--help":
			return o, ErrHelp
		case o.ours(word):
		case strings.HasPrefix(word, "--"):
			spec, unset, known := gitargs.Long(gitOptions, name)
			words := []string{word}
			if known && spec.value == gitargs.Required && !stuck && !unset && at+1 < len(argv) {
				at++
				value = argv[at]
				words = append(words, value)
			}
			o.take(spec, value, !unset, words)
		case len(word) > 1 && word[0] == '-':
			at += o.cluster(word, argv[at+1:])
		default:
			o.words, o.git = append(o.words, word), append(o.git, word)
		}
	}
	return o, nil
}

// ours handles git-trace's own options. They cannot be abbreviated, so every abbreviation means an option of git.
func (o *Options) ours(word string) bool {
	switch word {
	case "--json":
		o.JSON = true
	case "--removed":
		o.Removed = true
	case "--no-trace":
		o.NoTrace = true
	case "--only-ai":
		o.Only = append(o.Only, events.OwnerAI)
	case "--only-human":
		o.Only = append(o.Only, events.OwnerHuman)
	case "--only-unknown":
		o.Only = append(o.Only, events.OwnerUnknown)
	case "--prompts":
		o.Prompts = true
	case "--after":
		o.After = true
	case "--before":
		o.After = false
	default:
		return false
	}
	return true
}

// `take` notes an option.
func (o *Options) take(spec option, value string, on bool, words []string) {
	if spec.set != nil {
		spec.set(o, value, on)
	}
	switch spec.role {
	case verbatim:
		o.Verbatim = o.Verbatim || on
	case figures:
		o.Figures = on
	case compares:
		o.compares = true
	case other:
		return
	case passes:
	}
	o.git = append(o.git, words...)
}

// cluster parses a word of short options, "-wU5", and returns the number of following words that are values.
func (o *Options) cluster(word string, behind []string) (taken int) {
	for at := 1; at < len(word); at++ {
		spec, known := gitargs.Short(gitOptions, word[at])
		rest := word[at+1:]
		switch {
		case !known:
			if at == 1 && strings.Trim(word[1:], "0123") == "" { // a stage of a file in conflict
				o.Verbatim = true
			}
			o.git = append(o.git, "-"+word[at:])
			return 0
		case spec.value == gitargs.None:
			o.take(spec, "", true, []string{"-" + word[at:at+1]})
		case rest != "" || spec.value == gitargs.Optional || len(behind) == 0:
			o.take(spec, rest, true, []string{"-" + word[at:]})
			return 0
		default:
			o.take(spec, behind[0], true, []string{"-" + word[at:], behind[0]})
			return 1
		}
	}
	return 0
}
