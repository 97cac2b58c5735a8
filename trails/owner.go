package trails

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
)

// A patch id is 16 bytes in hex: 8 that are its own, then 8 that name its owner. So the patch id alone leads to the
// owner of a line, which is stored once, however many patches a tool call makes.
const (
	ownerKeyStart  = 16 // in hex digits
	patchIDLength  = 32
	humanOwnerKey  = "0000000000000000"
	ownerKeyDigits = patchIDLength - ownerKeyStart
)

// OwnerKey is the part of a patch id that names who made the patch.
type OwnerKey string

// OwnerKeyOf cuts the owner's key out of a patch id; ok is false for text that is no patch id.
func OwnerKeyOf(id events.PatchID) (OwnerKey, bool) {
	if len(id) != patchIDLength {
		return "", false
	}
	return OwnerKey(id[ownerKeyStart:]), true
}

// actor is who made a change: the decision about one run of lines of one interval.
type actor struct {
	kind       events.OwnerKind
	window     *Window // nil for a person, for unknown, and for several candidates
	candidates []events.CandidateData
	limits     []events.Limit
}

var (
	person = actor{kind: events.OwnerHuman}
	nobody = actor{kind: events.OwnerUnknown}
)

// key names the actor. Equal actors have equal keys; a person is all zeros.
func (a actor) key() OwnerKey {
	if a.kind == events.OwnerHuman {
		return humanOwnerKey
	}
	parts := []string{string(a.kind)}
	if a.window != nil {
		parts = append(parts, string(a.window.Trace), a.window.CallID)
	}
	for _, c := range a.candidates {
		parts = append(parts, string(c.Trace), c.ToolCall)
	}
	for _, l := range a.limits {
		parts = append(parts, string(l))
	}
	sum := blake3.Sum256([]byte(strings.Join(parts, "\x00")))
	return OwnerKey(hex.EncodeToString(sum[:ownerKeyDigits/2]))
}

// describe is the actor as an anchor names it.
func (a actor) describe() events.AnchorOwner {
	o := events.AnchorOwner{Kind: a.kind, Candidates: a.candidates, Limits: a.limits}
	if w := a.window; w != nil {
		o.Trace, o.Agent, o.Session, o.Subagent = w.Trace, w.Agent, w.Session, w.Subagent
		o.Model, o.Tool, o.ToolCall, o.Prompt, o.Step = w.Model, w.Tool, w.CallID, w.Prompt, w.Step
		o.Limits = unionLimits(w.Limits, a.limits)
		return o
	}
	// Candidates of one conversation leave only the tool call open.
	if len(a.candidates) > 0 && !slices.ContainsFunc(a.candidates, func(c events.CandidateData) bool {
		return c.Trace != a.candidates[0].Trace
	}) {
		o.Trace, o.Agent, o.Session = a.candidates[0].Trace, a.candidates[0].Agent, a.candidates[0].Session
	}
	return o
}

// patchSeed is what makes a patch this patch: where and when it was made.
type patchSeed struct {
	writer   string
	worktree string
	interval int64
	path     string
	start    int
	count    int
	old      int
	after    refs.OID
	segment  int
}

func (s patchSeed) id(owner OwnerKey) events.PatchID {
	var b bytes.Buffer
	for _, part := range []string{
		s.writer, s.worktree, strconv.FormatInt(s.interval, 10), s.path, strconv.Itoa(s.start), strconv.Itoa(s.count),
		strconv.Itoa(s.old), s.after.String(), strconv.Itoa(s.segment),
	} {
		b.WriteString(part)
		b.WriteByte(0)
	}
	sum := blake3.Sum256(b.Bytes())
	return events.PatchID(hex.EncodeToString(sum[:ownerKeyStart/2])) + events.PatchID(owner)
}

// Owners remembers who the owner keys of this repository stand for: <common git dir>/traces/cache/owners/XX, one line
// "KEY JSON" each. The files are a cache: every line can be derived again from the patches in the log.
type Owners struct {
	dir string
}

// NewOwners returns the owners of the repository. Nothing is opened.
func NewOwners(repo *refs.Repo) *Owners {
	return &Owners{dir: filepath.Join(repo.TracesDir(), "cache", "owners")}
}

// Put remembers an owner once.
func (o *Owners) Put(key OwnerKey, owner events.AnchorOwner) error {
	if key == humanOwnerKey {
		return nil
	}
	if _, found := o.Get(key); found {
		return nil
	}
	owner.Patch, owner.Previous = "", ""
	raw, err := json.Marshal(owner)
	if err != nil {
		return fmt.Errorf("encode owner: %w", err)
	}
	line := append(append([]byte(key), ' '), raw...)
	return appendFile(filepath.Join(o.dir, string(key[:2])), append(line, '\n'))
}

// Get returns the owner that a key stands for. A person has no record: the key says it all.
func (o *Owners) Get(key OwnerKey) (events.AnchorOwner, bool) {
	if key == humanOwnerKey {
		return events.AnchorOwner{Kind: events.OwnerHuman}, true
	}
	if len(key) != ownerKeyDigits {
		return events.AnchorOwner{}, false
	}
	raw, err := refs.ReadFile(filepath.Join(o.dir, string(key[:2])))
	if err != nil {
		return events.AnchorOwner{}, false
	}
	prefix := []byte(string(key) + " ")
	for line := range bytes.Lines(raw) {
		rest, ok := bytes.CutPrefix(line, prefix)
		if !ok || !bytes.HasSuffix(rest, []byte("\n")) {
			continue // another owner, or a line that a killed process left half written
		}
		var owner events.AnchorOwner
		if json.Unmarshal(rest, &owner) == nil {
			return owner, true
		}
	}
	return events.AnchorOwner{}, false
}

// Describe names the owner of a patch; unknown when the patch is not known here.
func (o *Owners) Describe(id events.PatchID) events.AnchorOwner {
	key, ok := OwnerKeyOf(id)
	if !ok {
		return events.AnchorOwner{Kind: events.OwnerUnknown}
	}
	owner, found := o.Get(key)
	if !found {
		return events.AnchorOwner{Kind: events.OwnerUnknown, Patch: id}
	}
	owner.Patch = id
	return owner
}

// appendFile appends to a file in one write, making it and its directory when missing. A line that a killed process
// left without its end is ended first, so that it cannot swallow the next one.
func appendFile(name string, line []byte) error {
	if err := refs.MakeDirs(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], info.Size()-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	_, err = f.Write(line)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

func without(limits []events.Limit, limit events.Limit) []events.Limit {
	return slices.DeleteFunc(slices.Clone(limits), func(l events.Limit) bool { return l == limit })
}

func unionLimits(a, b []events.Limit) []events.Limit {
	out := slices.Clone(a)
	for _, l := range b {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}
