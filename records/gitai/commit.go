package gitai

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// tools maps git-ai's names of agents to git-trace's names, where they differ.
var tools = [...]struct{ theirs, ours string }{
	{"claude", "claude-code"}, {"codex", "codex-cli"}, {"gemini", "gemini-cli"}, {"github-copilot", "copilot-cli"},
	{"copilot", "copilot-cli"}, {"qwen", "qwen-code"},
}

func toolOf(agent string) string {
	for _, t := range tools {
		if t.ours == agent {
			return t.theirs
		}
	}
	return cmp.Or(agent, "unknown")
}

func agentOf(tool string) string {
	for _, t := range tools {
		if t.theirs == tool {
			return t.ours
		}
	}
	return cmp.Or(tool, "unknown")
}

// digest returns the first 14 hex digits of the SHA-256 of a text, as keys contain them.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:14]
}

// SessionKey returns the key of a session of an agent.
func SessionKey(tool, id string) string { return "s_" + digest(tool+":"+id) }

// HumanKey returns the key of a person, who is given in git's form of an author: "Name <mail>".
func HumanKey(author string) string { return "h_" + digest(author) }

// FromCommit makes the note of a commit. Lines that an editor saw a person write are attributed to `author`, "Name
// <mail>". Files whose names the format cannot express are left out and counted.
func FromCommit(c *events.CommitData, author string) (n *Note, leftOut int) {
	n = &Note{Metadata: Metadata{
		SchemaVersion: Version, GitAIVersion: Writer, BaseCommit: c.Commit.String(),
		Prompts: map[string]Prompt{}, Humans: map[string]Human{}, Sessions: map[string]Session{},
	}}
	for _, f := range c.Files {
		name, err := events.DecodePath(f.Path)
		if err != nil || strings.ContainsAny(name, "\n\r\"") || strings.TrimSpace(name) != name || name == "---" {
			leftOut++
			continue
		}
		out := File{Path: name}
		for _, run := range f.Runs {
			if key := n.keyOf(&c.Owners[run.Owner], author); key != "" {
				out.add(key, Lines{run.Start, run.Start + run.Count - 1})
			}
		}
		if len(out.Entries) > 0 {
			n.Files = append(n.Files, out)
		}
	}
	return n, leftOut
}

// keyOf returns the key of an owner and adds its description; "" for an unknown owner.
func (n *Note) keyOf(o *events.AnchorOwner, author string) string {
	switch o.Kind {
	case events.OwnerHuman:
		if o.Evidence != events.SeenTyping {
			return "" // git-ai calls lines untracked if no editor saw a person save them
		}
		key := HumanKey(author)
		n.Metadata.Humans[key] = Human{author}
		return key
	case events.OwnerAI, events.OwnerMixed:
		tool := toolOf(o.Agent)
		key := SessionKey(tool, o.Session)
		if _, told := n.Metadata.Sessions[key]; !told {
			_, model, named := strings.Cut(o.Model, "/")
			if !named {
				model = o.Model
			}
			n.Metadata.Sessions[key] = Session{AgentID: AgentID{tool, o.Session, cmp.Or(model, "unknown")}, HumanAuthor: author}
		}
		return key + "::t_" + digest(o.ToolCall+"\x00"+string(o.Patch))
	case events.OwnerUnknown:
	}
	return ""
}

// add adds lines to the entry of a key; the lines come in order.
func (f *File) add(key string, lines Lines) {
	i := slices.IndexFunc(f.Entries, func(e Entry) bool { return e.Key == key })
	if i < 0 {
		f.Entries = append(f.Entries, Entry{Key: key, Lines: []Lines{lines}})
		return
	}
	e := &f.Entries[i]
	if last := &e.Lines[len(e.Lines)-1]; last.End+1 == lines.Start {
		last.End = lines.End
		return
	}
	e.Lines = append(e.Lines, lines)
}

// Commit returns the lines of a note as an anchor of its commit. The function `count` returns the number of lines of a
// path in the commit. Paths that the commit lacks, lines beyond the end, and unknown keys are left out and counted.
func (n *Note) Commit(commit refs.OID, count func(path string) (int, error)) (c *events.CommitData, leftOut int) {
	c = &events.CommitData{Commit: commit}
	owners := map[string]int{}
	for _, f := range n.Files {
		total := 0
		if isTreePath(f.Path) {
			if n, err := count(f.Path); err == nil {
				total = n
			}
		}
		by := make([]int, total) // owners of the lines, counted from 1
		for _, e := range f.Entries {
			owner, known := n.ownerOf(e.Key)
			key := fmt.Sprint(owner)
			for _, l := range e.Lines {
				if !known || l.End > total {
					leftOut += l.End - l.Start + 1
					continue
				}
				if owners[key] == 0 {
					c.Owners = append(c.Owners, owner)
					owners[key] = len(c.Owners)
				}
				for line := l.Start; line <= l.End; line++ {
					by[line-1] = owners[key] // if a line has several entries, git-ai uses the last
				}
			}
		}
		out := events.AnchorFile{Path: events.EncodePath(f.Path)}
		for start, end := 0, 0; start < total; start = end {
			for end < total && by[end] == by[start] {
				end++
			}
			if by[start] > 0 {
				out.Runs = append(out.Runs, events.AnchorRun{Start: start + 1, Count: end - start, Owner: by[start] - 1,
					Tier: "line_fingerprint"})
				if c.Added += end - start; c.Owners[by[start]-1].Kind == events.OwnerHuman {
					c.Human += end - start
				} else {
					c.AI += end - start
				}
			}
		}
		if len(out.Runs) > 0 {
			c.Files = append(c.Files, out)
		}
	}
	return c, leftOut
}

func isTreePath(name string) bool {
	return name != "" && !path.IsAbs(name) && path.Clean(name) == name && !strings.HasPrefix(name, "../")
}

func (n *Note) ownerOf(key string) (events.AnchorOwner, bool) {
	var id AgentID
	session, trace, _ := strings.Cut(key, "::")
	switch {
	case key == "ai_agent", key == "ai_tab": // in older notes this key only means that an agent wrote the line
		return events.AnchorOwner{Kind: events.OwnerAI, Agent: agentOf("")}, true
	case strings.HasPrefix(key, "h_"):
		_, known := n.Metadata.Humans[key]
		return events.AnchorOwner{Kind: events.OwnerHuman, Evidence: events.SeenTyping}, known
	case strings.HasPrefix(key, "s_"):
		found, known := n.Metadata.Sessions[session]
		if !known {
			return events.AnchorOwner{}, false
		}
		id = found.AgentID
	default:
		found, known := n.Metadata.Prompts[key]
		if !known {
			return events.AnchorOwner{}, false
		}
		id = found.AgentID
	}
	agent := agentOf(id.Tool)
	o := events.AnchorOwner{Kind: events.OwnerAI, Agent: agent, Session: cmp.Or(id.ID, session), ToolCall: trace}
	if id.Model != "unknown" {
		o.Model = id.Model
	}
	o.Trace = events.NewTraceID(agent, o.Session)
	return o, true
}
