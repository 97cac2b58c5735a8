package graph

import (
	"slices"
	"time"

	"github.com/git-trace/git-trace/correlate/belief"
	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
)

// Graph is a part of the history, newest commit first as in git log.
type Graph struct {
	// Uncommitted is shown above the commits; nil unless requested. See the function Uncommitted.
	Uncommitted *Commit
	Commits     []Commit
	IDDigits    int // length of conversation ids that every command accepts; 0 if unknown
}

// Commit is one commit with the owners of its added lines.
type Commit struct {
	ID      refs.OID
	Short   string // id as git abbreviates it in this repository
	Parents []refs.OID
	Refs    []string // refs as git log decorates commits: "HEAD -> main", "tag: v1.0"
	Author  string
	Mail    string
	Time    time.Time // author time
	Subject string
	// Committed is the committer time.
	Committed time.Time
	// Nobody is the kind of lines without a known owner: older or unknown.
	Nobody events.OwnerKind

	// Anchored reports whether a log or a search has owners for the commit. If not, the numbers are zero and there are no
	// contributors.
	Anchored bool
	Added    int // numbers of lines
	AI       int
	Human    int
	Unknown  int // includes lines older than the recording
	Disputed int // lines for which other clones' logs name different owners
	// Within maps the files that the paths of a query select to the numbers of lines that git counts as added. It is nil
	// without paths.
	Within map[string]int
	// Contributors lists conversations, the one with most lines first, then people, then the lines without a known owner.
	Contributors []Contributor
	// Functions holds the lines of the contributors by function. It is set only if functions are requested.
	Functions []FunctionLines
	// Believed holds the data from which Contributors were made, including line numbers. It is set if Source.Keep is set,
	// and nil if no owner is known.
	Believed *belief.Commit

	edges edges
}

// Older returns the number of unknown lines that are older than the recording.
func (c *Commit) Older() int {
	if c.Nobody == events.OwnerOlder {
		return c.Unknown
	}
	return 0
}

// Owned returns the numbers of added lines by owner.
func (c *Commit) Owned() numbers.Owned {
	return numbers.Owned{AI: c.AI, Human: c.Human, Unknown: c.Unknown, Older: c.Older()}
}

// `Only` keeps the commits that the function `wanted` accepts. If `most` is not negative, it keeps at most that many,
// the first ones. The parents of a kept commit become its nearest kept ancestors, as git does for paths
// (git-rev-list(1), History Simplification).
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

// Contributor is a writer of lines that a commit added: one prompt of a conversation with one model, or people, or
// unknown.
type Contributor struct {
	Kind    events.OwnerKind // ai, human, older or unknown; lines that an agent and a person both wrote count as ai
	Trace   events.TraceID   // conversation of an agent; empty if several conversations could have written the lines
	Agent   string
	Model   string
	Session string
	Prompt  int // counts from 1; 0 if unknown
	Mixed   int // number of lines that both an agent and a person wrote
	Lines   int
	Files   []FileLines // files in the order of the commit
	Tools   []ToolLines // the same lines of an agent, by the tool that wrote them
	// Replaced counts people's lines that replaced an agent's line, by the agent's patch.
	Replaced map[events.PatchID]int
	// Tellers lists the other clones whose logs name this contributor, each with its number of lines. This clone's log
	// names it for all other lines.
	Tellers []Teller
	// Candidates lists the conversations that could have written the lines, if no evidence decides between them.
	Candidates []Candidate
}

// Teller is another clone, given by the id of its log, with the number of lines that its log names. Signer is the
// signer of that log, or nil if the signature is not trusted.
type Teller struct {
	Writer string  `json:"writer"`
	Signer *string `json:"signer"`
	Lines  int     `json:"lines"`
}

// Tell adds lines to a clone's entry. A clone without an id is this one, and is not listed.
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

// Candidate is a conversation that could have written some lines.
type Candidate struct {
	Trace events.TraceID `json:"trace"`
	Agent string         `json:"agent"`
}

// ToolLines is the number of lines that an agent's tool added to a file.
type ToolLines struct {
	Tool string // empty if unknown
	FileLines
}

// FunctionLines is the number of lines that a contributor added to a function.
type FunctionLines struct {
	Who      int    // index of the contributor in the commit
	Function string // empty if unknown
	ToolLines
}

// FileLines is the number of lines that a contributor added to a file.
type FileLines struct {
	Path  string // raw bytes, as in git
	Lines int
}
