package gitblame

import (
	"strings"

	"github.com/git-trace/git-trace/refs/gitargs"
)

// option is one of git blame's own options, as builtin/blame.c declares them. To find the file among the words, it must
// be known which options take a value. So every option with a value must be in the table.
type option struct {
	short byte
	long  string
	value gitargs.Value
	role  role
	set   func(p *parser, value string, on bool)
}

func (o option) Names() (letter byte, word string) { return o.short, o.long }

// ownOptions lists the options of git blame itself, of every version from 2.39 on. A test compares the table with
// `git blame -h`.
var ownOptions = []option{
	{long: "incremental", role: formats, set: func(p *parser, _ string, on bool) { p.incremental = on }},
	{short: 'b', role: draws, set: func(p *parser, _ string, on bool) { p.opts.BlankBoundary = choose(on) }},
	{long: "root"},
	{long: "show-stats", role: draws, set: func(p *parser, _ string, on bool) { p.opts.ShowStats = on }},
	{long: "progress", role: formats},
	{long: "score-debug", role: draws, set: func(p *parser, _ string, on bool) { p.opts.ScoreDebug = on }},
	{short: 'f', long: "show-name", role: draws, set: func(p *parser, _ string, on bool) { p.opts.ShowName = on }},
	{short: 'n', long: "show-number", role: draws, set: func(p *parser, _ string, on bool) { p.opts.ShowNumber = on }},
	{short: 'p', long: "porcelain", role: formats, set: func(p *parser, _ string, on bool) { p.porcelain = on }},
	{long: "line-porcelain", role: formats, set: func(p *parser, _ string, on bool) { p.porcelain, p.perLine = on, on }},
	{short: 'c', role: draws, set: func(p *parser, _ string, on bool) { p.opts.Annotate = on }},
	{short: 't', role: draws, set: func(p *parser, _ string, on bool) { p.opts.RawTime = on }},
	{short: 'l', role: draws, set: func(p *parser, _ string, on bool) { p.opts.LongHash = on }},
	{short: 's', role: draws, set: func(p *parser, _ string, on bool) { p.opts.NoAuthor = on }},
	{short: 'e', long: "show-email", role: draws, set: func(p *parser, _ string, on bool) { p.opts.Email = choose(on) }},
	{short: 'w', role: compares},
	{long: "diff-algorithm", value: gitargs.Required, role: compares},
	{long: "ignore-rev", value: gitargs.Required, set: func(p *parser, _ string, _ bool) { p.opts.IgnoresRevs = true }},
	{long: "ignore-revs-file", value: gitargs.Required, set: func(p *parser, _ string, _ bool) {
		p.opts.IgnoresRevs = true
	}},
	{long: "color-lines", role: draws, set: func(p *parser, _ string, on bool) { p.opts.ColorLines = choose(on) }},
	{long: "color-by-age", role: draws, set: func(p *parser, _ string, on bool) { p.opts.ColorByAge = choose(on) }},
	{long: "minimal", role: compares},
	{short: 'S', value: gitargs.Required, role: limits, set: func(p *parser, _ string, _ bool) { p.opts.Grafted = true }},
	{long: "contents", value: gitargs.Required, role: contents, set: func(p *parser, value string, on bool) {
		p.opts.Contents, p.opts.HasContents = value, on
	}},
	{short: 'C', value: gitargs.Optional, role: copies},
	{short: 'M', value: gitargs.Optional, role: moves},
	{short: 'L', value: gitargs.Required, role: ranges, set: func(p *parser, _ string, _ bool) { p.opts.HasRange = true }},
	{long: "abbrev", value: gitargs.Optional, role: draws, set: func(p *parser, value string, on bool) {
		if p.opts.Abbrev = value; !on {
			p.opts.Abbrev = "0"
		}
	}},
}

func choose(on bool) Choice {
	if on {
		return Yes
	}
	return No
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		m[word] = true
	}
	return m
}

// pseudoRevs lists options that stand for revisions (git-rev-list(1)). Git treats them as positional arguments.
var pseudoRevs = set(`all branches tags remotes reflog not no-walk do-walk bisect indexed-objects alternate-refs`)

// pseudoRevPatterns lists the pseudo-revisions that take a pattern.
var pseudoRevPatterns = set(`glob exclude exclude-hidden branches tags remotes no-walk`)

// takesValue lists the options of git-rev-list(1) and git-diff(1) whose value may be the next word. They cannot be
// abbreviated: git accepts only their full names.
var takesValue = set(`
	max-count skip max-age min-age since since-as-filter after until before author committer grep grep-reflog
	encoding date glob exclude exclude-hidden diff-merges max-count-oldest
	anchored diff-algorithm diff-filter dst-prefix src-prefix line-prefix find-object ignore-matching-lines
	inter-hunk-context output output-indicator-context output-indicator-new output-indicator-old rotate-to skip-to
	stat-count stat-graph-width stat-name-width stat-width word-diff-regex ws-error-highlight color-moved-ws max-depth
`)

// shortTakesValue lists the one-letter options of this kind.
const shortTakesValue = "GIO"

// limiting lists the options of git-rev-list(1) that shorten the history of a blame. Where the history is cut, git
// credits a boundary commit with lines that it did not write.
var limiting = set(`
	max-count max-count-oldest skip max-age min-age since since-as-filter after until before author committer grep
	grep-reflog merges no-merges min-parents max-parents no-min-parents no-max-parents ancestry-path boundary
	exclude-first-parent-only cherry-pick cherry-mark cherry left-only right-only all-match invert-grep
	simplify-merges simplify-by-decoration full-history dense sparse remove-empty show-pulls
`)
