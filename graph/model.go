package graph

import (
	"slices"
	"time"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
)

// Graph is a part of the history, newest commit first as git log orders it.
type Graph struct {
	// Uncommitted comes above the commits; nil unless requested. See the function of that name.
	Uncommitted *Commit
	Commits     []Commit
	IDDigits    int // the length of a conversation's id in every command; 0 if unknown
}

// Commit is one commit with the owners of its added lines.
type Commit struct {
	ID      refs.OID
	Short   string // as git abbreviates ids in this repository
	Parents []refs.OID
	Refs    []string // as git decorates: "HEAD -> main", "tag: v1.0"
	Author  string
	Mail    string
	Time    time.Time // of authorship
	Subject string
	// Committed is the time of the commit itself.
	Committed time.Time
	// Nobody is the kind of the lines without a known owner: older, or unknown.
	Nobody events.OwnerKind

	// Anchored reports whether a log or a search has owners for the commit. If not, the figures are zero and there are
	// no contributors.
	Anchored bool
	Added    int // lines
	AI       int
	Human    int
	Unknown  int // those older than the recording among them
	Disputed int // lines with different owners in other clones' logs
	// Within are the files of the commit that the paths of a query name, with the lines that git counts as added. Nil
	// without paths.
	Within map[string]int
	// Contributors are conversations, the one with most lines first, then people, then the lines without a known owner.
	Contributors []Contributor
	// Functions are the lines of the contributors by function. They are there where functions are asked for.
	Functions []FunctionLines
	// Believed holds the sources of Contributors, with the places of lines. It is kept if Source.Keep is set, and nil
	// without known owners.
	Believed *belief.Commit

	edges edges
}

// Older returns the number of the unknown lines that are older than the recording.
func (c *Commit) Older() int {
	if c.Nobody == events.OwnerOlder {
		return c.Unknown
	}
	return 0
}

// Owned returns the added lines by owner.
func (c *Commit) Owned() numbers.Owned {
	return numbers.Owned{AI: c.AI, Human: c.Human, Unknown: c.Unknown, Older: c.Older()}
}

// Only keeps the commits that a test wants, at most the given number if most is not negative. Git rewrites parents for
// paths (git-rev-list(1), History Simplification), and so does this: to the nearest kept ancestors.
func (g *Graph) Only(wanted func(*Commit) bool, most int) {
	stay, left := map[refs.OID]bool{}, map[refs.OID][]refs.OID{}
	var list []Commit
	for i := range g.Commits {
		c := &g.Commits[i]
		if most != 0 && wanted(c) {
			stay[c.ID], list, most = true, append(list, *c), most-1
		}
		left[c.ID] = c.Parents
	}
	for i := range list {
		c := &list[i]
		seen := map[refs.OID]bool{}
		var parents []refs.OID
		for next := slices.Clone(c.Parents); len(next) > 0; {
			id := next[0]
			switch next = next[1:]; {
			case seen[id]:
				continue
			case stay[id]:
				parents = append(parents, id)
			default:
				next = append(slices.Clone(left[id]), next...)
			}
			seen[id] = true
		}
		c.Parents = parents
	}
	g.Commits = list
}

// Contributor is the writer of some of the lines that a commit added: one prompt of a conversation with one model,
// people, or unknown.
type Contributor struct {
	Kind    events.OwnerKind // ai, human, older or unknown; lines by an agent and a person both are counted as ai
	Trace   events.TraceID   // of an agent; empty when several conversations could have written the lines
	Agent   string
	Model   string
	Session string
	Prompt  int // 1-based; 0 when not known
	Mixed   int // the number of lines that an agent and a person both wrote
	Lines   int
	Files   []FileLines // in the order of the commit
	Tools   []ToolLines // the same lines of an agent, by the tool of the call too
	// Replaced counts the lines of people that replaced an agent's line, by the agent's patch.
	Replaced map[events.PatchID]int
	// Tellers are the other clones whose logs name this contributor, each with its lines. This clone's log names it for
	// the rest.
	Tellers []Teller
	// Candidates are the conversations that could have written the lines when no evidence splits them.
	Candidates []Candidate
}

// Teller is another clone by the id of its log, with the lines that it names. Signer is the signer of that log; nil if
// git trusts no such key.
type Teller struct {
	Writer string  `json:"writer"`
	Signer *string `json:"signer"`
	Lines  int     `json:"lines"`
}

// Tell adds lines to the lines of a clone. One without an id is this one, and not listed.
func Tell(list []Teller, by Teller) []Teller {
	if by.Writer == "" {
		return list
	}
	if at := slices.IndexFunc(list, func(have Teller) bool { return have.Writer == by.Writer }); at >= 0 {
		list[at].Lines += by.Lines
		return list
	}
	return append(list, by)
}

// Candidate is a conversation that could have written lines.
type Candidate struct {
	Trace events.TraceID `json:"trace"`
	Agent string         `json:"agent"`
}

// ToolLines is the number of lines of a file that an agent's tool added.
type ToolLines struct {
	Tool string // empty where it is not known
	FileLines
}

// FunctionLines is the number of lines of a function that a contributor added.
type FunctionLines struct {
	Who      int    // the contributor's place in the commit
	Function string // empty where it is not known
	ToolLines
}

// FileLines has the number of lines that a contributor added to a file.
type FileLines struct {
	Path  string // raw bytes, as git knows it
	Lines int
}
