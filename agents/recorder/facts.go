package recorder

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
)

// Facts holds facts about a conversation that come from the log and the repository, and are not in its session file. An
// unknown fact is nil and does not change the record.
type Facts struct {
	Links    []records.GitLink
	Revision string // the commit to which the line numbers refer: the newest one with lines of the conversation
	// Files holds the lines of the conversation in Revision.
	Files []FileFacts
	// Unaccounted holds the files that calls changed without an edit tool.
	Unaccounted []string
	Base        *string // the commit that was checked out at the start of the conversation
	Diff        *string // the uncommitted changes at that time
	Repository  *string // owner/name
	Remote      *string
	Patch       *string // the changes of Revision in files that only the conversation changed
	Terminal    *records.TerminalState
	System      *string // the operating system of the machine whose hooks reported the conversation to this clone
	Shell       *string // the shell of the user on that machine
	Note        *Note   // a person's last statement about the end of the conversation
}

// Note is the statement of a person. Fields that the statement lacks are nil.
type Note struct {
	Success *bool
	Reward  *float64
	At      time.Time // the time of its event, which identifies its text in a record
}

// sourceAnnotated is the signal source for a person's statement.
const sourceAnnotated = string(records.SignalAnnotated)

// put adds the note to the outcome. Without a note, it removes the values of an earlier note.
func (n *Note) put(o *records.Outcome) {
	if n == nil || n.Success == nil && n.Reward == nil {
		if o.SignalSource == sourceAnnotated {
			o.Success, o.Reward, o.RewardSource = nil, nil, nil
			o.SignalSource, o.SignalConfidence = records.SourceDeterministic, records.SignalInferred
		}
		return
	}
	o.Success, o.Reward, o.RewardSource = n.Success, nil, nil
	o.SignalSource, o.SignalConfidence = sourceAnnotated, records.SignalAnnotated
	if n.Reward != nil {
		o.Reward, o.RewardSource = new(records.Float(*n.Reward)), new("human_annotation")
	}
}

// FileFacts holds the conversation's lines in a file.
type FileFacts struct {
	Path  string
	Lines []LineFacts
}

// LineFacts is a range of lines and the call that wrote it.
type LineFacts struct {
	Range  records.AttributedRange
	Kind   events.OwnerKind // the author of the lines as they are now: the agent, a person who replaced them, or both
	Call   string
	Step   int // the step, if the call is unknown
	Prompt int
	Model  string
}

// Gatherer finds the facts about a conversation. The parameter `head` is the head of its record without facts. The
// parameter `prior` is the head of the stored version; nil if there is none.
type Gatherer func(ctx context.Context, head, prior *records.Record) (*Facts, error)

// put adds the facts to a record. The parameter `said` is the text of the newest note.
func (f *Facts) put(head, prior *records.Record, said string, calls *callBook) {
	if f == nil {
		return
	}
	if prior == nil {
		prior = &records.Record{}
	}
	f.Note.put(&head.Outcome)
	f.begin(head, prior)
	f.attribute(head, prior, calls.at)
	head.GitLinks, head.Lifecycle = withBranches(f.Links, prior.GitLinks), records.Provisional
	if f.Revision != "" {
		head.Lifecycle = records.Final
		head.Outcome.Committed, head.Outcome.Patch = true, f.Patch
		if head.Outcome.SignalSource != sourceAnnotated {
			head.Outcome.SignalConfidence = records.SignalDerived
		}
		if !linked(f.Links, head.Outcome.CommitSHA) {
			head.Outcome.CommitSHA = new(f.Revision)
		}
	}
	if state := head.Outcome.TerminalState; state == nil || *state == records.GoalReached || *state == records.Abandoned {
		head.Outcome.TerminalState = f.Terminal // a session file has no such members
	}
	f.describe(head, prior, said, calls)
}

// begin adds the machine, and the state of the repository at the start of the conversation. Earlier findings are kept,
// because reflogs and snapshots expire.
func (f *Facts) begin(head, prior *records.Record) {
	task, env := &head.Task, &head.Environment
	vcs := &env.VCS
	env.OS = cmp.Or(env.OS, f.System, prior.Environment.OS)
	env.Shell = cmp.Or(env.Shell, f.Shell, prior.Environment.Shell)
	task.Repository = cmp.Or(task.Repository, f.Repository, prior.Task.Repository)
	task.RepositoryURL = cmp.Or(task.RepositoryURL, f.Remote, prior.Task.RepositoryURL)
	task.BaseCommit = cmp.Or(task.BaseCommit, f.Base, prior.Task.BaseCommit)
	vcs.BaseCommit = cmp.Or(vcs.BaseCommit, f.Base, prior.Environment.VCS.BaseCommit)
	vcs.Diff = cmp.Or(vcs.Diff, f.Diff, prior.Environment.VCS.Diff)
	if (vcs.Type == "" || vcs.Type == records.VCSNone) && cmp.Or(vcs.BaseCommit, vcs.Diff) != nil {
		vcs.Type = records.VCSGit
	}
}

// `attribute` sets the lines of the revision. The first result for a revision is kept: the log keeps its facts about a
// commit, but contents of snapshots expire.
func (f *Facts) attribute(head, prior *records.Record, at func(call string) int) {
	told := head.Attribution
	switch {
	case f.Revision != "" && pinnedTo(prior, f.Revision):
		head.Attribution = prior.Attribution
	case f.Revision != "" && f.Files != nil:
		head.Attribution = f.pinned(head, told, at)
	}
	if f.Unaccounted == nil {
		return
	}
	a := records.Attribution{}
	if head.Attribution != nil {
		a = *head.Attribution
	}
	a.UnaccountedFiles = f.Unaccounted
	if len(a.Files) > 0 || len(a.UnaccountedFiles) > 0 {
		head.Attribution = &a
	}
}

func pinnedTo(r *records.Record, revision string) bool {
	return r.Attribution != nil && r.Attribution.Revision["revision"] == revision
}

// `pinned` returns the attribution for the revision. It keeps the session file's data about the answers that wrote
// lines.
func (f *Facts) pinned(head *records.Record, told *records.Attribution, at func(call string) int) *records.Attribution {
	answers := map[string]records.AttributedConversation{}
	if told != nil {
		for _, file := range told.Files {
			for _, c := range file.Conversations {
				if c.URL != nil {
					answers[*c.URL] = c
				}
			}
		}
	}
	out := &records.Attribution{
		Revision: map[string]string{"vcs_type": string(records.VCSGit), "revision": f.Revision},
		Files:    []records.AttributedFile{},
	}
	for _, file := range f.Files {
		one := records.AttributedFile{Path: file.Path}
		index, people := map[string]int{}, map[int]bool{}
		for _, line := range file.Lines {
			url := addressOf(head.TraceID, cmp.Or(at(line.Call), line.Step))
			i, known := index[url]
			if !known {
				i = len(one.Conversations)
				index[url] = i
				one.Conversations = append(one.Conversations, line.answer(head, url, answers[url]))
			}
			r := line.Range
			if line.Kind != events.OwnerAI {
				r.Contributor, people[i] = map[string]string{"type": string(line.Kind)}, true
			}
			out.Experimental = out.Experimental || r.Confidence != nil && *r.Confidence == records.Low
			one.Conversations[i].Ranges = append(one.Conversations[i].Ranges, r)
		}
		for i := range people {
			mix(&one.Conversations[i])
		}
		out.Files = append(out.Files, one)
	}
	return out
}

// addressOf returns the URL of a step, or of the conversation if the step is unknown.
func addressOf(trace string, step int) string {
	if step == 0 {
		return "opentraces://" + trace
	}
	return fmt.Sprintf("opentraces://%s/step_%d", trace, step)
}

func (l *LineFacts) answer(
	head *records.Record, url string, told records.AttributedConversation,
) records.AttributedConversation {
	c := records.AttributedConversation{URL: &url, IDs: told.IDs, Contributor: map[string]string{"type": "ai"}}
	model := cmp.Or(told.Contributor["model_id"], l.Model)
	if whole := records.Value(head.Agent.Model); model != "" && strings.HasSuffix(whole, "/"+model) {
		model = whole // hooks do not report the provider
	}
	if model != "" {
		c.Contributor["model_id"] = model
	}
	if l.Prompt > 0 {
		c.Related = []map[string]string{
			{"type": "prompt", "url": fmt.Sprintf("opentraces://%s/prompt_%d", head.TraceID, l.Prompt)}}
	}
	return c
}

// mix marks lines of which a person wrote a part: each range names its own author.
func mix(c *records.AttributedConversation) {
	for i := range c.Ranges {
		if c.Ranges[i].Contributor == nil {
			c.Ranges[i].Contributor = maps.Clone(c.Contributor)
		}
	}
	c.Contributor["type"] = "mixed"
}

// `linked` reports whether a commit contains lines of the conversation. The commit's id may be abbreviated by a call.
// After an amend or a rebase, the commit contains none of these lines: then the outcome names a commit with them.
func linked(links []records.GitLink, sha *string) bool {
	return sha != nil && *sha != "" && slices.ContainsFunc(links,
		func(l records.GitLink) bool { return l.Tier.Holds() && strings.HasPrefix(l.Revision, *sha) })
}

// withBranches keeps the branches of commits that the stored version has, because reflogs expire and branches are
// deleted.
func withBranches(links, stored []records.GitLink) []records.GitLink {
	known := map[string]records.GitLink{}
	for _, link := range stored {
		known[link.Revision] = link
	}
	out := append([]records.GitLink{}, links...)
	for i := range out {
		before := known[out[i].Revision]
		out[i].Branch = cmp.Or(out[i].Branch, before.Branch)
		out[i].RepoURL = cmp.Or(out[i].RepoURL, before.RepoURL)
	}
	return out
}
