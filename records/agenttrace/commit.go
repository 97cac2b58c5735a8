package agenttrace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs"
)

// metaKey is the metadata key for git-trace's own data.
const metaKey = "io.github.git-trace"

// ownMeta is the data that git-trace adds to a record.
type ownMeta struct {
	// Conversations has, by trace id, the data about a conversation that its URL does not contain.
	Conversations map[string]conversationMeta `json:"conversations,omitempty"`
}

type conversationMeta struct {
	Agent   string `json:"agent"`
	Session string `json:"session"`
}

func (r *Record) setConversations(list map[string]conversationMeta) error {
	if len(list) == 0 {
		return nil
	}
	raw, err := json.Marshal(ownMeta{list})
	if err != nil {
		return fmt.Errorf("describe conversations: %w", err)
	}
	r.Metadata = map[string]json.RawMessage{metaKey: raw}
	return nil
}

func (r *Record) conversations() map[string]conversationMeta {
	var own ownMeta
	if json.Unmarshal(r.Metadata[metaKey], &own) != nil {
		return nil
	}
	for trace, c := range own.Conversations {
		if !isUUID(trace) || c.Agent == "" || c.Session == "" {
			delete(own.Conversations, trace)
		}
	}
	return own.Conversations
}

// Source returns the lines of a path in the commit, without line feeds.
type Source func(path string) ([]string, error)

// FromCommit makes a record of the authors of the lines that a commit added. Lines without a known owner are left out.
// If no owner is known, the record has no files.
func FromCommit(c *events.CommitData, at time.Time, version string, source Source) (*Record, error) {
	r := &Record{
		Version: Version, Timestamp: at.UTC().Format(time.RFC3339), Files: []File{},
		ID:   string(events.NewTraceID(Name, c.Commit.String())),
		VCS:  &VCS{Type: "git", Revision: c.Commit.String()},
		Tool: &Tool{Name: "git-trace", Version: version},
	}
	told := map[string]conversationMeta{}
	for _, f := range c.Files {
		name, err := events.DecodePath(f.Path)
		if err != nil {
			return nil, err
		}
		file := File{Path: strings.ToValidUTF8(name, "\ufffd")}
		var lines []string
		for _, run := range f.Runs {
			owner := &c.Owners[run.Owner]
			kind := contributorType(owner.Kind)
			if kind == "unknown" {
				continue
			}
			if lines == nil {
				if lines, err = source(name); err != nil {
					return nil, err
				}
			}
			one := Range{StartLine: run.Start, EndLine: run.Start + run.Count - 1}
			if one.EndLine <= len(lines) {
				one.ContentHash = Hash(lines[one.StartLine-1 : one.EndLine])
			}
			file.add(owner, kind, one)
			if owner.Trace != "" && owner.Agent != "" {
				told[string(owner.Trace)] = conversationMeta{owner.Agent, owner.Session}
			}
		}
		if len(file.Conversations) > 0 {
			r.Files = append(r.Files, file)
		}
	}
	return r, r.setConversations(told)
}

func contributorType(kind events.OwnerKind) string {
	switch kind {
	case events.OwnerAI:
		return "ai"
	case events.OwnerHuman:
		return "human"
	case events.OwnerMixed:
		return "mixed"
	case events.OwnerUnknown:
	}
	return "unknown"
}

// add adds lines to the conversation of their owner.
func (f *File) add(o *events.AnchorOwner, kind string, lines Range) {
	c := Conversation{Contributor: &Contributor{Type: kind, ModelID: o.Model}}
	if len(o.Model) > maxModel {
		c.Contributor.ModelID = ""
	}
	if o.Trace != "" {
		c.URL = traceURL(string(o.Trace), o.Step)
		if o.Prompt > 0 {
			c.Related = []Related{{"prompt", fmt.Sprintf("%s/prompt_%d", traceURL(string(o.Trace), 0), o.Prompt)}}
		}
	}
	i := slices.IndexFunc(f.Conversations, func(other Conversation) bool {
		return other.URL == c.URL && *other.Contributor == *c.Contributor && slices.Equal(other.Related, c.Related)
	})
	if i < 0 {
		f.Conversations = append(f.Conversations, c)
		i = len(f.Conversations) - 1
	}
	f.Conversations[i].Ranges = append(f.Conversations[i].Ranges, lines)
}

// Commit returns the lines in a record of a git revision, as one anchor of that commit. It leaves out, and counts,
// lines with a wrong content hash and files that the commit lacks (source fails).
func (r *Record) Commit(source Source) (c *events.CommitData, leftOut int, err error) {
	if r.VCS == nil || r.VCS.Type != "git" {
		return nil, 0, fmt.Errorf("%w: vcs of type git", ErrMissing)
	}
	commit, err := refs.ParseOID(r.VCS.Revision)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: revision: %w", ErrValue, err)
	}
	c = &events.CommitData{Commit: commit}
	told := r.conversations()
	var owners []string
	for _, f := range r.Files {
		if f.Path == "." || strings.HasPrefix(f.Path, "../") || path.IsAbs(f.Path) {
			leftOut += f.count()
			continue
		}
		lines, err := source(f.Path)
		if err != nil {
			leftOut += f.count()
			continue
		}
		out := events.AnchorFile{Path: events.EncodePath(f.Path)}
		for _, conversation := range f.Conversations {
			for _, one := range conversation.Ranges {
				if one.EndLine > len(lines) || !Holds(one.ContentHash, lines[one.StartLine-1:one.EndLine]) {
					leftOut += one.EndLine - one.StartLine + 1
					continue
				}
				owner := conversation.owner(one.Contributor, r.Tool, told)
				if owner.Kind == events.OwnerUnknown {
					continue
				}
				key := fmt.Sprint(owner)
				at := slices.Index(owners, key)
				if at < 0 {
					owners, c.Owners = append(owners, key), append(c.Owners, owner)
					at = len(owners) - 1
				}
				count := one.EndLine - one.StartLine + 1
				out.Runs = append(out.Runs, events.AnchorRun{Start: one.StartLine, Count: count, Owner: at,
					Tier: tierOf(one.ContentHash)})
				c.Added += count
				if owner.Kind == events.OwnerHuman {
					c.Human += count
				} else {
					c.AI += count
				}
			}
		}
		if len(out.Runs) > 0 {
			slices.SortStableFunc(out.Runs, func(a, b events.AnchorRun) int { return a.Start - b.Start })
			c.Files = append(c.Files, out)
		}
	}
	return c, leftOut, nil
}

// tierOf returns the kind of evidence for lines: exact_lines if their hash was checked, otherwise line_fingerprint.
func tierOf(hash string) string {
	if hash != "" {
		return "exact_lines"
	}
	return "line_fingerprint"
}

func (f *File) count() int {
	n := 0
	for _, c := range f.Conversations {
		for _, r := range c.Ranges {
			n += r.EndLine - r.StartLine + 1
		}
	}
	return n
}

// owner returns the author of the lines of a conversation.
func (c *Conversation) owner(own *Contributor, tool *Tool, told map[string]conversationMeta) events.AnchorOwner {
	who := c.Contributor
	if own != nil {
		who = own
	}
	o := events.AnchorOwner{Kind: events.OwnerUnknown}
	if who == nil {
		return o
	}
	switch who.Type {
	case "human":
		o.Kind = events.OwnerHuman
		return o
	case "ai":
		o.Kind = events.OwnerAI
	case "mixed":
		o.Kind = events.OwnerMixed
	default:
		return o
	}
	o.Model = who.ModelID
	trace, step, known := traceOf(c.URL)
	if meta, found := told[trace]; known && found {
		o.Trace, o.Step, o.Agent, o.Session = events.TraceID(trace), step, meta.Agent, meta.Session
		for _, related := range c.Related {
			_, number, found := strings.Cut(related.URL, "/prompt_")
			if n, err := strconv.Atoi(number); found && err == nil && related.Type == "prompt" && n > 0 {
				o.Prompt = n
			}
		}
		return o
	}
	o.Agent = "unknown"
	if tool != nil && tool.Name != "" {
		o.Agent = tool.Name
	}
	if c.URL != "" {
		o.Session = c.URL
		o.Trace = events.NewTraceID(o.Agent, c.URL)
	}
	return o
}

// Hash returns the content hash of lines (see records.LineHash).
func Hash(lines []string) string { return records.JoinedHash(lines) }

// Holds reports whether a content hash matches the lines. The specification does not fix an algorithm or form, so a
// hash of unknown form counts as matching. A hash of known form is computed with and without a final line feed.
func Holds(hash string, lines []string) bool {
	algorithm, value, _ := strings.Cut(hash, ":")
	for _, end := range [...]string{"", "\n"} {
		text := strings.Join(lines, "\n") + end
		switch {
		case algorithm == "murmur3" && len(value) == 32:
			_, own, _ := strings.Cut(records.LineHash(text), ":")
			if value == own || value == own[16:]+own[:16] {
				return true
			}
		case algorithm == "sha256" && len(value) >= 8 && len(value) <= 64:
			sum := sha256.Sum256([]byte(text))
			if strings.HasPrefix(hex.EncodeToString(sum[:]), value) {
				return true
			}
		default:
			return true
		}
	}
	return false
}
