package records

import (
	"encoding/json"

	"github.com/git-trace/git-trace/refs"
)

// The metadata members with the data of opentraces' hooks: before and after a call, as objects by call id, and at the
// end of turns, as a list.
const (
	MetaHookBefore = "hook_pre_tool_use"
	MetaHookAfter  = "hook_post_tool_use"
	MetaHookStop   = "hook_stop"
)

// HookSaw is the data of one hook about the work tree, in the form of opentraces.
type HookSaw struct {
	Timestamp   string          `json:"timestamp"`
	Tool        string          `json:"tool,omitempty"`
	Input       json.RawMessage `json:"tool_input,omitempty"`
	Session     string          `json:"session_id,omitempty"`
	Path        string          `json:"file_path,omitempty"`
	Start       int             `json:"start_line,omitempty"`
	End         int             `json:"end_line,omitempty"`
	Confidence  string          `json:"confidence,omitempty"`
	Status      string          `json:"capture_status,omitempty"`
	Limitations []string        `json:"limitations,omitempty"`
	Trail       *HookTrail      `json:"trail,omitempty"`
}

// HookTrail is the path of the work tree, its git tree, and the checked-out commit.
type HookTrail struct {
	Root string      `json:"worktree_root"`
	Tree *HookObject `json:"tree_id"`
	Head *HookObject `json:"git_head"`
}

// HookObject is the id of a git object.
type HookObject struct {
	Algo string `json:"algo"`
	Hex  string `json:"hex"`
}

// NewHookObject returns an id in the form of opentraces; nil for the zero id.
func NewHookObject(id refs.OID) *HookObject {
	if id.IsZero() {
		return nil
	}
	return &HookObject{id.Format().String(), id.String()}
}

// CallTrees holds the git trees of a work tree before and after a call.
type CallTrees struct {
	Root          string // the path of the work tree
	Before, After refs.OID
}

// Trees returns the git trees before and after calls, by call id. It contains only calls for which hooks recorded both.
func (r *Record) Trees() map[string]CallTrees {
	var before, after map[string]HookSaw
	if json.Unmarshal(r.Metadata[MetaHookBefore], &before) != nil ||
		json.Unmarshal(r.Metadata[MetaHookAfter], &after) != nil {
		return nil
	}
	out := map[string]CallTrees{}
	for call, a := range before {
		b := after[call]
		if a.Trail == nil || b.Trail == nil || a.Trail.Tree == nil || b.Trail.Tree == nil || a.Trail.Root != b.Trail.Root {
			continue
		}
		from, errFrom := refs.ParseOID(a.Trail.Tree.Hex)
		to, errTo := refs.ParseOID(b.Trail.Tree.Hex)
		if errFrom == nil && errTo == nil {
			out[call] = CallTrees{a.Trail.Root, from, to}
		}
	}
	return out
}
