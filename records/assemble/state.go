package assemble

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/project"
)

// The limits of the data about a whole conversation.
const (
	maxList      = 2000  // entries in a metadata list
	maxOpenCalls = 4096  // calls whose results may come after their step was passed on
	maxPrompts   = 16    // system prompts
	maxTools     = 400   // tool definitions
	maxVersions  = 32    // versions of the agent
	maxSources   = 50000 // steps whose lines are listed
	maxSourceIDs = 16    // lines of one step
)

// Head holds the data that a parser may set for the whole conversation.
type Head struct {
	Version     string                `json:"version,omitempty"`  // the agent's version; the last one counts
	Versions    []string              `json:"versions,omitempty"` // all versions, in order
	Began       string                `json:"began,omitempty"`    // the start time, if the file's lines have no times
	OS          string                `json:"os,omitempty"`
	Shell       string                `json:"shell,omitempty"`
	Cwds        []string              `json:"cwds,omitempty"` // the directories in which the agent worked
	Git         bool                  `json:"git,omitempty"`
	Branch      string                `json:"branch,omitempty"` // the first branch
	BaseCommit  string                `json:"base_commit,omitempty"`
	Repository  string                `json:"repository,omitempty"` // the remote's URL
	Prompts     map[string]string     `json:"prompts,omitempty"`    // system prompts by hash
	Tools       []json.RawMessage     `json:"tools,omitempty"`      // tool definitions
	Terminal    records.TerminalState `json:"terminal,omitempty"`   // state at the end of the part that was read so far
	Success     *bool                 `json:"success,omitempty"`
	Source      string                `json:"source,omitempty"` // the source of Success
	Description string                `json:"description,omitempty"`
	// Usage is the token count of the whole conversation, for agents whose answers have none.
	Usage *records.TokenUsage        `json:"usage,omitempty"`
	Meta  map[string]json.RawMessage `json:"meta,omitempty"`
}

// maxCwds limits the number of directories that are kept.
const maxCwds = 32

// AddCwd adds a directory in which the agent worked.
func (h *Head) AddCwd(dir string) {
	if dir != "" && len(h.Cwds) < maxCwds && !slices.Contains(h.Cwds, dir) {
		h.Cwds = append(h.Cwds, dir)
	}
}

// WorksIn adds a directory in which the agent worked. It shows the operating system, unless that is known.
func (h *Head) WorksIn(dir string) {
	h.AddCwd(dir)
	h.OS = cmp.Or(h.OS, System(dir))
}

// System returns the operating system if a path can only come from one; otherwise "".
func System(path string) string {
	switch {
	case strings.HasPrefix(path, "/Users/"):
		return "darwin"
	case strings.HasPrefix(path, "/home/"), strings.HasPrefix(path, "/root"):
		return "linux"
	case len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/'):
		return "windows"
	}
	return ""
}

// maxCost is the greatest plausible cost of a conversation, in dollars.
const maxCost = 1e6

// SetCost sets the client's cost of the conversation, in dollars, if it is plausible.
func (h *Head) SetCost(cost float64) {
	if cost > 0 && cost < maxCost {
		h.SetMeta(records.MetaClientCost, records.Float(cost))
	}
}

// SetMeta sets a member of the record's metadata.
func (h *Head) SetMeta(name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		return
	}
	if h.Meta == nil {
		h.Meta = map[string]json.RawMessage{}
	}
	h.Meta[name] = raw
}

// AddMeta sets a metadata member, unless it is already set.
func (h *Head) AddMeta(name, value string) {
	if value != "" && h.Meta[name] == nil {
		h.SetMeta(name, value)
	}
}

// addPrompt keeps a system prompt under its hash, unless there are already too many.
func (h *Head) addPrompt(hash, prompt string) {
	if _, known := h.Prompts[hash]; known || len(h.Prompts) >= maxPrompts {
		return
	}
	if h.Prompts == nil {
		h.Prompts = map[string]string{}
	}
	h.Prompts[hash] = prompt
}

// SetVersion sets the version of the agent that writes the following lines.
func (h *Head) SetVersion(version string) {
	if version == "" {
		return
	}
	h.Version = version
	if len(h.Versions) < maxVersions && !slices.Contains(h.Versions, version) {
		h.Versions = append(h.Versions, version)
	}
}

// AddTool keeps the definition of a tool, a JSON object, unless there already is one with that name.
func (h *Head) AddTool(name string, definition []byte) {
	if len(h.Tools) >= maxTools {
		return
	}
	for _, known := range h.Tools {
		if toolName(known) == name {
			return
		}
	}
	h.Tools = append(h.Tools, slices.Clone(definition))
}

// state holds the totals of the steps that were passed on. A cursor contains it.
type state struct {
	Next        int                          `json:"next"` // the number of the last step
	Start       string                       `json:"start,omitempty"`
	End         string                       `json:"end,omitempty"`
	Usage       records.TokenUsage           `json:"usage"`
	Cost        float64                      `json:"cost"`
	Unpriced    []string                     `json:"unpriced,omitempty"` // models without a price
	Models      map[string]*modelUse         `json:"models,omitempty"`
	Calls       int                          `json:"calls"`
	Task        *task                        `json:"task,omitempty"`
	Facts       project.Facts                `json:"facts"`
	Files       files                        `json:"files"`
	Commits     []Commit                     `json:"commits,omitempty"`
	Subagents   []subagent                   `json:"subagents,omitempty"`
	Lists       map[string][]json.RawMessage `json:"lists,omitempty"`
	Lines       int                          `json:"lines"`   // objects of session files that are in the record
	Skipped     map[string]int               `json:"skipped"` // skipped objects, by reason
	Dropped     map[string]int               `json:"dropped"` // other data that is not in the record, by reason
	LateResults int                          `json:"late_results,omitempty"`
	Head        Head                         `json:"head"`
	Waiting     map[string]int               `json:"waiting,omitempty"` // steps of calls without a result
	Sources     []records.Source             `json:"sources,omitempty"`
	Hooks       map[string]map[string]int64  `json:"hooks,omitempty"`
	HookOutput  int                          `json:"hook_output,omitempty"` // bytes of hook output that are kept
	Stops       int                          `json:"stops,omitempty"`       // answers whose reason for ending is known

	seen  ids            // ids of lines
	keys  ids            // keys of answers that were passed on
	calls ids            // calls that were passed on
	steps map[string]int // the map that Waiting stores
	tree  tree
}

type task struct {
	Text   string `json:"text"`
	Source string `json:"source"`
}

type modelUse struct {
	Steps int                `json:"steps"`
	Main  int                `json:"main"` // the number of steps in the main conversation
	Usage records.TokenUsage `json:"usage"`
}

type subagent struct {
	ID    string `json:"id,omitempty"`
	Role  string `json:"role,omitempty"`
	Step  int    `json:"step,omitempty"` // the step with the call
	First int    `json:"first_step,omitempty"`
	Last  int    `json:"last_step,omitempty"`
}

func newState() *state {
	return &state{
		Models: map[string]*modelUse{}, Lists: map[string][]json.RawMessage{}, Dropped: map[string]int{},
		Skipped: map[string]int{},
		seen:    newIDs(), keys: newIDs(), calls: newIDs(), steps: map[string]int{},
	}
}

// maxReasons limits the number of counted reasons, because some reasons are names from session files.
const maxReasons = 200

func (s *state) skip(reason string, n int) {
	if s.Skipped[reason] == 0 && len(s.Skipped) >= maxReasons {
		reason = "other"
	}
	s.Skipped[reason] += n
}

func (s *state) appendTo(list string, value any) {
	if len(s.Lists[list]) >= maxList {
		s.Dropped["metadata_limit"]++
		return
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return
	}
	s.Lists[list] = append(s.Lists[list], raw)
}

// ids is a set that remembers the order in which ids were added.
type ids struct {
	list []uint64
	set  map[uint64]int32 // the index in the list
}

func newIDs() ids { return ids{set: map[uint64]int32{}} }

func (i *ids) len() int { return len(i.list) }

func (i *ids) has(id uint64) bool {
	_, found := i.set[id]
	return found
}

func (i *ids) add(id uint64) bool {
	if i.has(id) {
		return false
	}
	i.set[id] = int32(len(i.list))
	i.list = append(i.list, id)
	return true
}

// pack encodes the first n ids.
func (i *ids) pack(n int) string {
	raw := make([]byte, 0, 8*n)
	for _, id := range i.list[:n] {
		raw = binary.LittleEndian.AppendUint64(raw, id)
	}
	return base64.RawStdEncoding.EncodeToString(raw)
}

func unpack(packed string) (ids, bool) {
	raw, err := base64.RawStdEncoding.DecodeString(packed)
	if err != nil || len(raw)%8 != 0 {
		return ids{}, false
	}
	out := newIDs()
	for ; len(raw) > 0; raw = raw[8:] {
		out.add(binary.LittleEndian.Uint64(raw))
	}
	return out, true
}

// hashID returns 64 bits that stand for an id. Ids are random, so equal hashes within a conversation are very unlikely.
func hashID(id string) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(id)) // a hash never returns an error
	return sum.Sum64()
}
