package graph

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
)

// JSONSchema is the schema id of the JSON output; docs/schema/graph-1.schema.json describes it.
const JSONSchema = "git-trace.graph/1"

// Document is the output of git trace graph --json.
type Document struct {
	Schema      string           `json:"schema"`
	IDDigits    int              `json:"id_digits,omitempty"`
	Uncommitted *UncommittedJSON `json:"uncommitted"`
	Commits     []CommitJSON     `json:"commits"`
}

// CommitJSON is a commit in JSON. Numbers of lines are null if nothing is known about the commit.
type CommitJSON struct {
	Commit       refs.OID          `json:"commit"`
	Parents      []refs.OID        `json:"parents"`
	Refs         []string          `json:"refs"`
	Author       string            `json:"author"`
	AuthorMail   string            `json:"author_mail"`
	AuthorTime   time.Time         `json:"author_time"`
	Subject      string            `json:"subject"`
	Anchored     bool              `json:"anchored"`
	Added        *int              `json:"added"`
	AI           *int              `json:"ai"`
	Human        *int              `json:"human"`
	Unknown      *int              `json:"unknown"`
	Older        int               `json:"older,omitempty"` // unknown lines that are older than the recording
	Contributors []ContributorJSON `json:"contributors"`
}

// UncommittedJSON holds the uncommitted lines in JSON.
type UncommittedJSON struct {
	Added        int               `json:"added"`
	AI           int               `json:"ai"`
	Human        int               `json:"human"`
	Unknown      int               `json:"unknown"`
	Contributors []ContributorJSON `json:"contributors"`
}

// Owned returns the numbers of added lines by owner.
func (c CommitJSON) Owned() (out numbers.Owned) {
	if c.Added != nil {
		out = numbers.Owned{AI: *c.AI, Human: *c.Human, Unknown: *c.Unknown, Older: c.Older}
	}
	return out
}

func (c *Commit) figures() UncommittedJSON {
	return UncommittedJSON{c.Added, c.AI, c.Human, c.Unknown, c.contributors()}
}

func (c *Commit) contributors() []ContributorJSON {
	out := make([]ContributorJSON, 0, len(c.Contributors))
	for i := range c.Contributors {
		out = append(out, c.Contributors[i].json())
	}
	return out
}

// ContributorJSON is a contributor in JSON.
type ContributorJSON struct {
	Contributor events.OwnerKind `json:"contributor"`
	Older       bool             `json:"older,omitempty"` // true for unknown lines that are older than the recording
	Trace       *events.TraceID  `json:"trace"`
	Agent       *string          `json:"agent"`
	Model       *string          `json:"model"`
	Session     *string          `json:"session"`
	Prompt      *PromptJSON      `json:"prompt"`
	Lines       int              `json:"lines"`
	Mixed       int              `json:"mixed,omitempty"`
	Files       []FileJSON       `json:"files"`
	Candidates  []Candidate      `json:"candidates,omitempty"`
	Sources     []Teller         `json:"sources,omitempty"`
}

// PromptJSON names a prompt of a conversation.
type PromptJSON struct {
	Index int `json:"index"`
}

// FileJSON is the number of lines that a contributor added to a file. In a path that is not UTF-8, invalid bytes are
// replaced; the second field has the path's exact bytes.
type FileJSON struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"`
	Lines      int    `json:"lines"`
}

// WriteJSON writes a graph as JSON. Each commit takes one line of text.
func WriteJSON(w io.Writer, g *Graph) error {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	fmt.Fprintf(&out, "{\"schema\":%q,\n", JSONSchema)
	if g.IDDigits > 0 {
		fmt.Fprintf(&out, "\"id_digits\":%d,\n", g.IDDigits)
	}
	out.WriteString("\"uncommitted\":")
	var uncommitted any
	if g.Uncommitted != nil {
		uncommitted = g.Uncommitted.figures()
	}
	if err := encoder.Encode(uncommitted); err != nil {
		return fmt.Errorf("write graph: %w", err)
	}
	out.WriteString(",\"commits\":[")
	for i := range g.Commits {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		if err := encoder.Encode(g.Commits[i].JSON()); err != nil {
			return fmt.Errorf("write graph: %w", err)
		}
		if _, err := io.WriteString(w, strings.TrimSuffix(out.String(), "\n")); err != nil {
			return fmt.Errorf("write graph: %w", err)
		}
		out.Reset()
	}
	if len(g.Commits) > 0 {
		out.WriteByte('\n')
	}
	out.WriteString("]}\n")
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("write graph: %w", err)
	}
	return nil
}

// JSON converts the commit to its JSON form.
func (c *Commit) JSON() CommitJSON {
	out := CommitJSON{
		Commit: c.ID, Parents: c.Parents, Refs: make([]string, 0, len(c.Refs)), Author: valid(c.Author),
		AuthorMail: valid(c.Mail),
		AuthorTime: c.Time, Subject: valid(c.Subject), Anchored: c.Anchored, Contributors: c.contributors(),
	}
	if out.Parents == nil {
		out.Parents = []refs.OID{}
	}
	for _, name := range c.Refs {
		out.Refs = append(out.Refs, valid(name))
	}
	if c.Anchored {
		out.Added, out.AI, out.Human, out.Unknown = &c.Added, &c.AI, &c.Human, &c.Unknown
		out.Older = c.Older()
	}
	return out
}

func (c *Contributor) json() ContributorJSON {
	out := ContributorJSON{
		Contributor: c.Kind.Stored(), Older: c.Kind == events.OwnerOlder, Lines: c.Lines,
		Mixed: c.Mixed, Candidates: c.Candidates, Sources: c.Tellers,
		Files: make([]FileJSON, 0, len(c.Files)),
		Trace: events.OrNull(c.Trace), Agent: events.OrNull(c.Agent), Model: events.OrNull(c.Model),
		Session: events.OrNull(c.Session),
	}
	if c.Prompt > 0 {
		out.Prompt = &PromptJSON{c.Prompt}
	}
	for _, f := range c.Files {
		out.Files = append(out.Files, FileJSON{valid(f.Path), events.EncodeBytes(f.Path), f.Lines})
	}
	return out
}

func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }
