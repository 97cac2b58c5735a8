package gitai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/records/jsonl"
	"github.com/git-trace/git-trace/records/rawjson"
)

// The errors of a note.
var (
	ErrNoDivider = errors.New("no line \"---\" between attestations and metadata")
	ErrForm      = errors.New("not an attestation")
	ErrVersion   = errors.New("not an authorship note of version 3.0.0")
	ErrTooLarge  = errors.New("note is too large")
)

// The limits for reading.
const (
	maxNote  = 256 << 20     // bytes
	maxLine  = math.MaxInt32 // the largest line number
	maxParts = 1 << 20       // ranges of a note
)

// Note has the authors of one commit's lines.
type Note struct {
	Files    []File
	Metadata Metadata

	metadata []byte // the metadata as they were read
}

// File is a path and its authors.
type File struct {
	Path    string
	Entries []Entry
}

// Entry has the lines of one key.
type Entry struct {
	Key   string
	Lines []Lines
}

// Lines is a range of lines, from 1, with both ends included.
type Lines struct{ Start, End int }

// Metadata describes the keys.
type Metadata struct {
	SchemaVersion string             `json:"schema_version"`
	GitAIVersion  string             `json:"git_ai_version,omitempty"`
	BaseCommit    string             `json:"base_commit_sha"`
	Prompts       map[string]Prompt  `json:"prompts"`
	Humans        map[string]Human   `json:"humans,omitempty"`
	Sessions      map[string]Session `json:"sessions,omitempty"`
}

// AgentID identifies a conversation of an agent.
type AgentID struct {
	Tool  string `json:"tool"`
	ID    string `json:"id"`
	Model string `json:"model"`
}

// Session is a conversation.
type Session struct {
	AgentID     AgentID           `json:"agent_id"`
	HumanAuthor string            `json:"human_author,omitempty"`
	Attributes  map[string]string `json:"custom_attributes,omitempty"`
}

// Human is a person who was seen typing.
type Human struct {
	Author string `json:"author"`
}

// Prompt is a conversation in the form of older versions.
type Prompt struct {
	AgentID     AgentID `json:"agent_id"`
	HumanAuthor string  `json:"human_author,omitempty"`
}

// lineFault returns an error about a line of a note.
func lineFault(line int, err error, what string) error {
	return fmt.Errorf("line %d: %w: %.80q", line, err, what)
}

// Parse parses a note. An error contains the line.
func Parse(text []byte) (*Note, error) {
	if len(text) > maxNote {
		return nil, ErrTooLarge
	}
	n := &Note{}
	rest := text
	parts := 0
	for line := 1; ; line++ {
		if len(rest) == 0 {
			return nil, fmt.Errorf("line %d: %w", line, ErrNoDivider)
		}
		var raw []byte
		raw, rest, _ = bytes.Cut(rest, []byte("\n"))
		one := strings.TrimRight(string(raw), " \t\r")
		switch {
		case string(raw) == "---":
			n.metadata = bytes.TrimSpace(rest)
			return n, n.decodeMetadata(line + 1)
		case one == "":
		case strings.HasPrefix(one, "  "):
			if len(n.Files) == 0 {
				return nil, lineFault(line, ErrForm, one)
			}
			entry, err := parseEntry(one[2:])
			if err != nil {
				return nil, lineFault(line, err, one)
			}
			if parts += len(entry.Lines); parts > maxParts {
				return nil, ErrTooLarge
			}
			f := &n.Files[len(n.Files)-1]
			f.Entries = append(f.Entries, entry)
		case one[0] == ' ' || one[0] == '\t':
			return nil, lineFault(line, ErrForm, one)
		default:
			if len(one) > 1 && one[0] == '"' && one[len(one)-1] == '"' {
				one = one[1 : len(one)-1]
			}
			n.Files = append(n.Files, File{Path: one})
		}
	}
}

func parseEntry(text string) (Entry, error) {
	key, ranges, ok := strings.Cut(text, " ")
	if !ok || key == "" || ranges == "" {
		return Entry{}, ErrForm
	}
	e := Entry{Key: key}
	for part := range strings.SplitSeq(ranges, ",") {
		from, to, isRange := strings.Cut(part, "-")
		start, err := strconv.Atoi(from)
		end := start
		if err == nil && isRange {
			end, err = strconv.Atoi(to)
		}
		if err != nil || start < 1 || end < start || end > maxLine {
			return Entry{}, ErrForm
		}
		e.Lines = append(e.Lines, Lines{start, end})
	}
	return e, nil
}

func (n *Note) decodeMetadata(line int) error {
	d := rawjson.NewDecoder(n.metadata)
	if d.Skip(); d.Err() != nil {
		return fmt.Errorf("line %d: metadata: %w", line, d.Err())
	}
	if err := jsonl.Decode(n.metadata, &n.Metadata); err != nil {
		return fmt.Errorf("line %d: metadata: %w", line, err)
	}
	if n.Metadata.SchemaVersion != Version {
		return fmt.Errorf("line %d: %w: schema_version %.40q", line, ErrVersion, n.Metadata.SchemaVersion)
	}
	return nil
}

// Bytes returns the note in the form of git-ai, without a final line feed.
func (n *Note) Bytes() ([]byte, error) {
	var out bytes.Buffer
	for _, f := range n.Files {
		if strings.ContainsAny(f.Path, " \t") {
			out.WriteString(`"` + f.Path + "\"\n")
		} else {
			out.WriteString(f.Path + "\n")
		}
		for _, e := range f.Entries {
			out.WriteString("  " + e.Key + " ")
			for i, l := range e.Lines {
				if i > 0 {
					out.WriteByte(',')
				}
				out.WriteString(strconv.Itoa(l.Start))
				if l.End > l.Start {
					out.WriteString("-" + strconv.Itoa(l.End))
				}
			}
			out.WriteByte('\n')
		}
	}
	out.WriteString("---\n")
	if n.metadata != nil {
		out.Write(n.metadata)
		return out.Bytes(), nil
	}
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(n.Metadata); err != nil {
		return nil, fmt.Errorf("write note: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
