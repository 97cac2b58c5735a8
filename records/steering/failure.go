package steering

import (
	"slices"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/records"

	"github.com/git-trace/git-trace/records/treetrace"
)

// failure is something that went wrong in the turn of a prompt.
type failure struct {
	kind       string
	turn       *turn
	confidence float64
	evidence   string
	subject    string // a constraint, a command, a file or a package; without it there is no lesson
	reason     string // the person's words when they declined the call
	command    string // the failed command; its success shows the correction
	asked      *turn  // the newest earlier turn that stated the constraint
	corrector  *turn
	byEvidence bool // the corrector is known from evidence
	byWords    bool // the failure is known only from words
	resolved   *turn
	resolvedBy string
	aPackage   bool // the subject is a package
	eval       bool
	place      int // the index in failures.json
}

// analysis holds the conclusions about all conversations.
type analysis struct {
	words    *Words
	options  *Options
	doc      *treetrace.Document
	convs    []*conversation // the earlier conversations, without data that later ones do not need
	prompts  int             // the number of nodes
	failures []*failure
	lessons  []*lesson
	said     [][]constraint // the constraints of each counted prompt

	files                 map[string]bool // files that calls touched
	repositories, sources []string

	// of the current conversation:
	fresh []*failure
	byKey map[failureKey]*failure
}

func newAnalysis(words *Words, o *Options) *analysis {
	return &analysis{
		words: words, options: o, files: map[string]bool{},
		doc: &treetrace.Document{
			SchemaVersion: treetrace.SchemaVersion,
			Generator: treetrace.Generator{Name: "git-trace", Version: o.Version,
				URL: "https://github.com/git-trace/git-trace"},
			Stats:    treetrace.Stats{Models: []string{}, RejectionsByKind: map[string]int{}},
			Sessions: []treetrace.Session{}, Nodes: []treetrace.Node{}, Edges: []treetrace.Edge{},
			CorrectionChains: []treetrace.Chain{}, Lessons: []treetrace.Lesson{},
			EvalCandidates: []treetrace.EvalCandidate{}, Failures: []treetrace.Failure{},
			Brief: treetrace.Brief{Uncommitted: []string{}, Failing: []string{}, Decisions: []string{}, DeadEnds: []string{}},
		},
	}
}

type failureKey struct {
	kind string
	turn *turn
}

// `fail` records a failure. Of two failures of the same type at the same prompt, the one with more confidence is kept.
func (a *analysis) fail(f failure) {
	if f.turn.number == 0 {
		return
	}
	key := failureKey{f.kind, f.turn}
	have := a.byKey[key]
	if have == nil {
		have = &f
		a.byKey[key] = have
		a.fresh = append(a.fresh, have)
		return
	}
	if f.confidence > have.confidence || f.confidence == have.confidence && have.subject == "" {
		f.corrector, f.asked = firstTurn(f.corrector, have.corrector), firstTurn(f.asked, have.asked)
		f.byEvidence = f.byEvidence || have.byEvidence
		*have = f
	}
	have.corrector = firstTurn(have.corrector, f.corrector)
}

func firstTurn(list ...*turn) *turn {
	for _, t := range list {
		if t != nil {
			return t
		}
	}
	return nil
}

// findFailures looks for failures: in rejections, repeated runs, the fate of lines, constraints and words. They are in
// the order of the prompts.
func (a *analysis) findFailures(c *conversation) []*failure {
	a.fresh, a.byKey = nil, map[failureKey]*failure{}
	for _, t := range c.nodes() {
		a.rejected(t)
		a.dependencies(t)
		a.risky(t)
		a.intents(t)
		if t.abandoned && (t.parent == nil || !t.parent.abandoned) {
			a.fail(failure{
				kind: treetrace.AbandonedPath, turn: t, confidence: 0.95,
				subject:  strings.TrimRight(titleOf(t.text, a.words), ".!"),
				evidence: "the person went back to before this prompt",
			})
		}
		a.fates(t)
		a.constraintsKept(t)
		a.corrected(t)
		a.otherTool(t)
	}
	a.repeated(c)
	a.hallucinated(c)
	a.inventedPackages(c)
	a.inventedImports(c)
	slices.SortStableFunc(a.fresh, func(x, y *failure) int { return x.turn.number - y.turn.number })
	return a.fresh
}

// rejectionTypes maps each kind of rejection to the type of its failure.
var rejectionTypes = sync.OnceValue(func() map[string]string {
	return map[string]string{
		treetrace.UserDeclinedTool: treetrace.UserRejected, treetrace.UserInterrupt: treetrace.UserRejected,
		treetrace.UserTextDecline: treetrace.UserRejected, treetrace.ToolError: treetrace.ToolFailed,
		treetrace.PermissionDenied: treetrace.Denied, treetrace.ModelRefusal: treetrace.ModelRefused,
	}
})

// `rejected` records a failure for each kind of rejection.
func (a *analysis) rejected(t *turn) {
	for i := range t.rejections {
		r := &t.rejections[i]
		if r.Kind == treetrace.UserInterrupt && !t.begun() {
			continue
		}
		f := failure{kind: rejectionTypes()[r.Kind], turn: t, confidence: r.Confidence, evidence: r.Kind + " (" + r.Source +
			")"}
		if r.Evidence != nil {
			f.evidence += `: "` + *r.Evidence + `"`
		}
		if c := t.call(records.Value(r.ToolUseID)); c != nil {
			if c.command != "" || c.file != "" {
				f.subject = c.what()
			}
			f.reason = oneLine(strings.TrimPrefix(reason(c.output), ", "), maxEvidence)
			if r.Kind == treetrace.ToolError {
				f.command = normalCommand(c.command)
			}
		}
		f.byWords = r.Source == treetrace.FromText && r.Kind == treetrace.UserTextDecline ||
			r.Source == treetrace.FromHeuristic
		a.fail(f)
	}
}

func (t *turn) call(id string) *call {
	for _, c := range t.calls {
		if c.id == id {
			return c
		}
	}
	return nil
}

// run describes consecutive failed runs of one command.
type run struct {
	failures int
	files    []string        // files that changed between each two runs
	since    map[string]bool // files that changed since the last run
}

// `repeated` finds commands that failed three times, with edits to a common file between the runs.
func (a *analysis) repeated(c *conversation) {
	const times, most = 3, 1000
	runs := map[string]*run{}
	for _, t := range c.everyTurn() {
		for _, one := range t.calls {
			for _, ch := range one.changes {
				for _, r := range runs {
					r.since[ch.path] = true
				}
			}
			line := normalCommand(one.command)
			switch r := runs[line]; {
			case line == "":
			case one.failed() && (r != nil || len(runs) < most):
				if r == nil {
					r = &run{since: map[string]bool{}}
					runs[line] = r
				}
				if r.fail(); r.failures == times {
					a.fail(failure{
						kind: treetrace.RepeatedFailedFix, turn: t, confidence: 0.95, subject: oneLine(line, 80), command: line,
						evidence: "failed three times with edits between: " + oneLine(line, 80) + " (" + strings.Join(r.files, ", ") +
							")",
					})
				}
			case one.succeeded():
				delete(runs, line)
			}
		}
	}
}

// `fail` counts a failed run. The count starts again if the edits before the run share no file with the earlier edits.
func (r *run) fail() {
	if r.failures > 0 {
		if r.files = common(r.files, r.since, r.failures == 1); len(r.files) == 0 {
			r.failures = 0
		}
	}
	r.failures++
	clear(r.since)
}

// `common` returns the files of a list that are also in a set. If `all` is set, it returns the whole set.
func common(list []string, set map[string]bool, all bool) []string {
	if all {
		out := make([]string, 0, len(set))
		for path := range set {
			out = append(out, path)
		}
		slices.Sort(out)
		return out
	}
	return slices.DeleteFunc(slices.Clone(list), func(path string) bool { return !set[path] })
}

// leastLines is the least number of lines of a prompt whose loss is evidence.
const leastLines = 5

// fates records failures that the fate of a prompt's lines shows.
func (a *analysis) fates(t *turn) {
	g := t.lines()
	if g == nil || g.Added < leastLines || t.abandoned {
		return
	}
	uncommitted := t.dropped()
	gone := g.Reverted
	if t.laterCommitted() {
		gone += g.Lost + uncommitted
	}
	if gone*5 >= g.Added*4 {
		a.fail(failure{
			kind: treetrace.AbandonedPath, turn: t, confidence: 0.9, subject: strings.Join(t.files(), ", "),
			evidence: counted(gone) + " of " + counted(g.Added) + " lines are gone, and later work was committed",
		})
	}
	if human := t.human(); human >= leastLines || human >= 3 && human*10 >= g.Added*3 {
		a.fail(failure{
			kind: treetrace.HumanRewrite, turn: t, confidence: 0.95, subject: strings.Join(t.files(), ", "),
			evidence: "people changed " + counted(human) + " of " + counted(g.Added) + " lines",
		})
	}
}

// dependencies finds calls that failed because something is not installed. A later change of a manifest confirms this.
func (a *analysis) dependencies(t *turn) {
	for i, c := range t.calls {
		if !c.failed() {
			continue
		}
		name, found := missingDependency(c.output)
		if !found {
			continue
		}
		f := failure{
			kind: treetrace.DependencyMismatch, turn: t, confidence: 0.8, subject: name, command: normalCommand(c.command),
			evidence: evidenceOf(c),
		}
		for _, later := range t.calls[i+1:] {
			if slices.ContainsFunc(later.changes, func(ch *change) bool { return isManifest(ch.path) }) {
				f.confidence = 0.95
			}
		}
		f.evidence = oneLine(f.evidence, maxEvidence)
		a.fail(f)
	}
}

// otherTool finds declined calls whose next prompt asked for another program, which the agent then used.
func (a *analysis) otherTool(t *turn) {
	p := t.previous
	if p == nil || p.number == 0 {
		return
	}
	said := spaced(t.text)
	for _, declined := range p.calls {
		if !declined.declined || byRule(declined.output) {
			continue
		}
		for _, c := range t.calls {
			for _, name := range c.names(a.words) {
				if c.succeeded() && !slices.Contains(declined.names(a.words), name) && strings.Contains(said, " "+name+" ") {
					a.fail(failure{
						kind: treetrace.WrongToolChoice, turn: p, confidence: 0.9, subject: declined.what(), corrector: t,
						byEvidence: true,
						evidence:   "declined: " + declined.what() + "; asked for and used instead: " + name,
					})
					return
				}
			}
		}
	}
}

// `names` returns the tool and the programs of a call, in lower case, without programs whose names are ordinary words.
func (c *call) names(w *Words) []string {
	out := []string{strings.ToLower(c.tool)}
	for _, words := range simpleCommands(c.command) {
		out = append(out, strings.ToLower(words[0]))
	}
	return slices.DeleteFunc(out, func(name string) bool { return len(name) < 2 || slices.Contains(w.Programs, name) })
}
