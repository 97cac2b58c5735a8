package main

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/blame"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/report/diff"
	"github.com/git-trace/git-trace/upkeep/restore"
	"github.com/git-trace/git-trace/view"
	"github.com/git-trace/git-trace/view/lookup"
)

// lostLines is the number of one owner's lines that a restore would remove.
type lostLines struct {
	blame.OwnerJSON
	Prompt *int `json:"prompt"`
	Lines  int  `json:"lines"`
}

// loss counts the lines that a plan would remove, by owner, the largest count first.
func (a *app) loss(repo *refs.Repo, known *lookup.Conversations, then view.Moment, now refs.OID, plan *restore.Plan) (
	[]lostLines, error) {
	out := []lostLines{}
	if len(plan.Changes) == 0 {
		return out, nil
	}
	const moment = "moment"
	args := []string{"--no-relative", "--no-ext-diff", "--no-textconv", moment, "--"}
	for i := range plan.Changes {
		args = append(args, ":(top,literal)"+plan.Changes[i].Path)
	}
	opts, err := diff.Parse(args)
	if err != nil {
		return nil, err
	}
	side := diff.Side{Kind: diff.Moment, Rev: moment}
	if !then.Head.IsZero() {
		side.Head = then.Head.String()
	}
	_, err = opts.FindMoments(func(word string, _ bool) (diff.Snapshot, bool, error) {
		return diff.Snapshot{Tree: then.Tree, Side: side}, word == moment, nil
	})
	if err != nil {
		return nil, err
	}
	opts.CompareWith(now)
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	d, err := a.readDiff(repo, known, dir, opts)
	if err != nil {
		return nil, diffFailure(err)
	}
	return lostIn(d), nil
}

// lostIn counts the lines that only the newer side of a diff has, by owner.
func lostIn(d *diff.Diff) []lostLines {
	type key struct {
		kind   events.OwnerKind
		trace  events.TraceID
		prompt int
	}
	out, at := []lostLines{}, map[key]int{}
	for _, f := range slices.Concat(d.Files, d.Untracked) {
		f.EachLine(func(l *diff.Line) {
			if l.Sign != diff.Added {
				return
			}
			o := l.Owner.Owner
			k := key{o.Kind, o.Trace, o.PromptIndex}
			i, seen := at[k]
			if !seen {
				i = len(out)
				at[k] = i
				owner, _ := o.JSON()
				out = append(out, lostLines{OwnerJSON: owner})
				if o.PromptIndex > 0 {
					out[i].Prompt = &o.PromptIndex
				}
			}
			out[i].Lines++
		})
	}
	slices.SortStableFunc(out, func(a, b lostLines) int { return cmp.Compare(b.Lines, a.Lines) })
	return out
}

// lossText names the owners: "8 lines of claude-code e182#2, 1 line of people".
func lossText(known *lookup.Conversations, lost []lostLines) (string, error) {
	short, err := known.Short()
	if err != nil {
		return "", err
	}
	var out []string
	for i := range lost {
		out = append(out, numbers.Count(lost[i].Lines, "line")+" of "+lost[i].owner(short))
	}
	return strings.Join(out, ", "), nil
}

func (l *lostLines) owner(short func(events.TraceID) string) string {
	switch {
	case l.Trace != nil && l.Prompt != nil:
		return cells.Spaced(records.Value(l.Agent), short(*l.Trace)+"#"+strconv.Itoa(*l.Prompt))
	case l.Trace != nil:
		return cells.Spaced(records.Value(l.Agent), short(*l.Trace))
	case l.Contributor == events.OwnerHuman:
		return "people"
	case l.Contributor != events.OwnerUnknown:
		return "one of several agents"
	case l.Older:
		return "people before the recording"
	}
	return "nobody known"
}

// ofOthers reports whether anybody except a conversation loses lines.
func ofOthers(lost []lostLines, trace events.TraceID) bool {
	return slices.ContainsFunc(lost, func(l lostLines) bool { return l.Trace == nil || *l.Trace != trace })
}

// errNotRestored reports that the person did not want the change.
var errNotRestored = errors.New("nothing was changed")

// mayLose asks at a terminal before it removes lines of others.
func (a *app) mayLose(text, command string) error {
	in, isFile := a.std.in.(*os.File)
	if !isFile {
		return nil
	}
	if !terminal.Is(in) {
		return nil
	}
	if !a.asks("this removes " + cells.Message(text) + ". Go on?") {
		return exit.Fail(exit.Finding, errNotRestored, "git trace "+command+" --dry-run shows what it would do")
	}
	return nil
}
