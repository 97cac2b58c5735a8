package records

import (
	"encoding/json"

	"github.com/git-trace/git-trace/refs"
)

// Members of the metadata with the findings of opentraces' hooks: before and after a call, as an object by the call's
// id, and at the end of turns, as a list.
const (
	MetaHookBefore = "hook_pre_tool_use"
	MetaHookAfter  = "hook_post_tool_use"
	MetaHookStop   = "hook_stop"
)

// HookSaw is a hook's finding about the work tree, in the form of opentraces.
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

// HookTrail names the work tree, its tree, and the commit that is checked out.
type HookTrail struct {
	Root string      `json:"worktree_root"`
	Tree *HookObject `json:"tree_id"`
	Head *HookObject `json:"git_head"`
}

// HookObject is the id of an object of git.
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

// CallTrees are the trees of a work tree before and after a call.
type CallTrees struct {
	Root          string // of the work tree
	Before, After refs.OID
}

// Trees returns the trees around calls, by the id of the call, if a hook saw both.
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
