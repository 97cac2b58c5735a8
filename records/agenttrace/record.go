package agenttrace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strings"

	"github.com/git-trace/git-trace/records/jsonl"
)

// Record is one trace record.
type Record struct {
	Version   string                     `json:"version"`
	ID        string                     `json:"id"`        // UUID
	Timestamp string                     `json:"timestamp"` // RFC 3339
	VCS       *VCS                       `json:"vcs,omitempty"`
	Tool      *Tool                      `json:"tool,omitempty"`
	Files     []File                     `json:"files"`
	Metadata  map[string]json.RawMessage `json:"metadata,omitempty"`
}

// VCS is the revision to which the line numbers of the record refer.
type VCS struct {
	Type     string `json:"type"` // git, jj, hg, svn
	Revision string `json:"revision"`
}

// Tool is the program that wrote the record.
type Tool struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

// File is a file and the conversations that wrote its lines. Path is relative to the root of the repository.
type File struct {
	Path          string         `json:"path"`
	Conversations []Conversation `json:"conversations"`
}

// Conversation has the lines that one conversation, or a part of it, wrote.
type Conversation struct {
	URL         string       `json:"url,omitempty"`
	Contributor *Contributor `json:"contributor,omitempty"`
	Ranges      []Range      `json:"ranges"`
	Related     []Related    `json:"related,omitempty"`
}

// Contributor is the author of lines.
type Contributor struct {
	Type    string `json:"type"` // human, ai, mixed, unknown
	ModelID string `json:"model_id,omitempty"`
}

// Range is a range of lines, from 1, with both ends included.
type Range struct {
	StartLine   int          `json:"start_line"`
	EndLine     int          `json:"end_line"`
	ContentHash string       `json:"content_hash,omitempty"`
	Contributor *Contributor `json:"contributor,omitempty"`
}

// Related is a link to another resource.
type Related struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// The errors of a record.
var (
	ErrMissing = errors.New("a member is missing")
	ErrValue   = errors.New("a member has a value that is not allowed")
)

// The limits for reading.
const (
	maxLine  = 256 << 20     // bytes of a record
	maxModel = 250           // characters of a model's id, according to the specification
	lastLine = math.MaxInt32 // the largest line number
)

// Read yields the records of a file, one for each line. It stops at the first fault and returns its line.
func Read(r io.Reader, yield func(line int, record *Record) error) error {
	in := jsonl.NewReader(r, maxLine)
	for {
		raw, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		record, err := decode(raw)
		if err != nil {
			return in.Fault(err)
		}
		if err := yield(in.Line(), record); err != nil {
			return err
		}
	}
}

// Write writes a record and a line feed.
func Write(w io.Writer, r *Record) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

// decode decodes a line, which must be one JSON object.
func decode(raw []byte) (*Record, error) {
	var probe struct {
		Schema string `json:"schema"`
	}
	if err := jsonl.Decode(raw, &probe); err != nil {
		return nil, err
	}
	if strings.HasPrefix(probe.Schema, "agent-trace/") {
		return decodeOpentraces(raw)
	}
	r := &Record{}
	if err := jsonl.Decode(raw, r); err != nil {
		return nil, err
	}
	switch {
	case r.Version == "":
		return nil, fmt.Errorf("%w: version", ErrMissing)
	case !strings.HasPrefix(r.Version, "0.") && !strings.HasPrefix(r.Version, "1."):
		return nil, fmt.Errorf("%w: version %.20q is not known", ErrValue, r.Version)
	case r.ID == "":
		return nil, fmt.Errorf("%w: id", ErrMissing)
	case r.Timestamp == "":
		return nil, fmt.Errorf("%w: timestamp", ErrMissing)
	case r.Files == nil:
		return nil, fmt.Errorf("%w: files", ErrMissing)
	}
	return r, r.tidy()
}

// `tidy` checks the record and converts its paths to git's form.
func (r *Record) tidy() error {
	if r.VCS != nil && (r.VCS.Type == "" || r.VCS.Revision == "") {
		return fmt.Errorf("%w: vcs needs type and revision", ErrMissing)
	}
	for i := range r.Files {
		f := &r.Files[i]
		f.Path = tidyPath(f.Path)
		if f.Path == "" {
			return fmt.Errorf("%w: path of a file", ErrMissing)
		}
		for j := range f.Conversations {
			c := &f.Conversations[j]
			if err := c.Contributor.check(); err != nil {
				return err
			}
			for _, one := range c.Ranges {
				if one.StartLine < 1 || one.EndLine < one.StartLine || one.EndLine > lastLine {
					return fmt.Errorf("%w: lines %d to %d of %.80q", ErrValue, one.StartLine, one.EndLine, f.Path)
				}
				if err := one.Contributor.check(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (c *Contributor) check() error {
	if c == nil {
		return nil
	}
	switch c.Type {
	case "human", "ai", "mixed", "unknown":
	case "":
		return fmt.Errorf("%w: type of a contributor", ErrMissing)
	default:
		return fmt.Errorf("%w: contributor of type %.40q", ErrValue, c.Type)
	}
	if len(c.ModelID) > maxModel {
		return fmt.Errorf("%w: model_id is longer than %d", ErrValue, maxModel)
	}
	return nil
}

// tidyPath returns a cleaned path with slashes.
func tidyPath(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if name == "" {
		return ""
	}
	return path.Clean(name)
}
