package records

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// hashPlace reserves the place of the hash until it is computed.
var hashPlace = strings.Repeat("0", 64)

// Encode writes a record as one line of JSON without a line feed, with every member in the schema's order. It computes
// the content hash, stores it in the record, and replaces nil lists with empty ones.
func Encode(r *Record) ([]byte, error) {
	r.fill()
	r.ContentHash = &hashPlace
	raw, err := marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	hash, err := ContentHash(raw)
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	r.ContentHash = &hash
	return setHash(raw, hash), nil
}

// EncodeStep writes a step as Encode writes it, as one line of JSON without a line feed. It replaces nil lists with
// empty ones.
func EncodeStep(s *Step) ([]byte, error) { return WriteStep(s, nil) }

// rooms holds reusable buffers for encoding. A buffer that has grown too large is not reused.
var rooms = sync.Pool{New: func() any { return &bytes.Buffer{} }}

// mostRoom is the largest buffer that is reused, in bytes.
const mostRoom = 256 << 10

// marshal encodes JSON without HTML escapes.
func marshal(v any) ([]byte, error) {
	out := rooms.Get().(*bytes.Buffer) // the pool has only values of this type
	out.Reset()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	raw := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	if out.Cap() > mostRoom {
		return raw, nil
	}
	raw = bytes.Clone(raw)
	rooms.Put(out)
	return raw, nil
}

// setHash replaces hashPlace with the hash. No string before it can contain the same bytes, because a quote inside a
// string is escaped.
func setHash(raw []byte, hash string) []byte {
	name := []byte(`"content_hash":"`)
	at := bytes.Index(raw, name) + len(name)
	copy(raw[at:], hash)
	return raw
}

// fill replaces nil lists and maps with empty ones where the schema allows no null, and sets defaults.
func (r *Record) fill() {
	if r.SchemaVersion == "" {
		r.SchemaVersion = SchemaVersion
	}
	list(&r.Environment.LanguageEcosystem)
	list(&r.ToolDefinitions)
	list(&r.Steps)
	list(&r.Dependencies)
	list(&r.GitLinks)
	if r.SystemPrompts == nil {
		r.SystemPrompts = map[string]string{}
	}
	if r.Metadata == nil {
		r.Metadata = map[string]json.RawMessage{}
	}
	absent(&r.Environment.VCS.Type, VCSNone)
	absent(&r.Outcome.SignalSource, SourceDeterministic)
	absent(&r.Outcome.SignalConfidence, SignalDerived)
	absent(&r.Lifecycle, Provisional)
	for i := range r.Steps {
		r.Steps[i].fill()
	}
	for i := range r.GitLinks {
		absent(&r.GitLinks[i].VCSType, VCSGit)
	}
	if r.Attribution != nil {
		r.Attribution.fill()
	}
}

func (s *Step) fill() {
	list(&s.ToolsAvailable)
	list(&s.ToolCalls)
	list(&s.Observations)
	list(&s.Snippets)
	for i := range s.ToolCalls {
		if in := &s.ToolCalls[i].Input; len(*in) == 0 || (*in)[0] != '{' {
			*in = json.RawMessage("{}")
		}
	}
}

func (a *Attribution) fill() {
	list(&a.Files)
	for i := range a.Files {
		list(&a.Files[i].Conversations)
		for j := range a.Files[i].Conversations {
			c := &a.Files[i].Conversations[j]
			list(&c.Ranges)
			if c.Contributor == nil {
				c.Contributor = map[string]string{}
			}
			for k := range c.Ranges {
				absent(&c.Ranges[k].ChangeType, Addition)
			}
		}
	}
}

func list[T any](s *[]T) {
	if *s == nil {
		*s = []T{}
	}
}

func absent[T ~string](s *T, value T) {
	if *s == "" {
		*s = value
	}
}

// SetMeta sets a member of the metadata. A value that cannot be JSON is a programming error; the member is then left
// out.
func (r *Record) SetMeta(name string, value any) {
	raw, err := marshal(value)
	if err != nil {
		return
	}
	if r.Metadata == nil {
		r.Metadata = map[string]json.RawMessage{}
	}
	r.Metadata[name] = raw
}
