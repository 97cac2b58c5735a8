package claudecode

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/payload"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/agents/transcript"
	"github.com/git-trace/git-trace/records/assemble"
)

// maxAgentDepth is the greatest depth of nested subagents, maxAgentFiles the greatest number of their files.
const (
	maxAgentDepth = 10
	maxAgentFiles = 5000
)

type agentFiles struct {
	dir    string // the session file's directory: older clients put the files of subagents there
	byID   map[string]*agentFile
	byCall map[string]*agentFile
}

// agentFile is the session file of one subagent.
type agentFile struct {
	path, name string // name is relative to the session file's directory, with slashes
	id, role   string
	call       string // the call that started the subagent, according to the description next to the file
	size       int64
	read       bool
	before     bool // the earlier reading from which a cursor continues has read the file
}

// listAgents lists the files below <session>/subagents. Newer clients put a description next to each.
func listAgents(path string) *agentFiles {
	a := &agentFiles{dir: filepath.Dir(path), byID: map[string]*agentFile{}, byCall: map[string]*agentFile{}}
	root := filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents")
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || len(a.byID) >= maxAgentFiles {
			return fs.SkipAll
		}
		id, found := strings.CutPrefix(entry.Name(), "agent-")
		if !found || !entry.Type().IsRegular() || filepath.Ext(path) != ".jsonl" {
			return nil
		}
		a.add(path, strings.TrimSuffix(id, ".jsonl"))
		return nil
	})
	return a
}

func (a *agentFiles) add(path, id string) *agentFile {
	if !payload.SessionID(id) {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	name, err := filepath.Rel(a.dir, path)
	if err != nil {
		return nil
	}
	file := &agentFile{path: path, name: filepath.ToSlash(name), id: id, size: info.Size()}
	a.byID[id] = file
	if meta := sessionfile.Small(strings.TrimSuffix(path, ".jsonl")+".meta.json", maxSmall); meta != nil {
		file.role = payload.Name(memberText(meta, "agentType"))
		if file.call = memberText(meta, "toolUseId"); payload.CallID(file.call) {
			a.byCall[file.call] = file
		}
	}
	return file
}

// maxSmall is the greatest size of a description, in bytes.
const maxSmall = 256 << 10

// find returns the file of a subagent by its id or by the call that started it; nil if there is none.
func (a *agentFiles) find(id, call string) *agentFile {
	if file := a.byID[id]; file != nil {
		return file
	}
	if file := a.byCall[call]; file != nil {
		return file
	}
	if !payload.SessionID(id) {
		return nil
	}
	return a.add(filepath.Join(a.dir, "agent-"+id+".jsonl"), id)
}

// `unread` returns the files that were not reached from any call, sorted by name.
func (a *agentFiles) unread() []*agentFile {
	var files []*agentFile
	for _, id := range slices.Sorted(maps.Keys(a.byID)) {
		if file := a.byID[id]; !file.read && !file.before {
			files = append(files, file)
		}
	}
	return files
}

// sizes returns the sizes of the files that were read, for a cursor.
func (a *agentFiles) sizes() map[string]int64 {
	sizes := map[string]int64{}
	for id, file := range a.byID {
		if file.read || file.before {
			sizes[id] = file.size
		}
	}
	return sizes
}

// errGrown reports that a subagent's file has grown since the cursor was made: its steps are in the middle of the
// record.
var errGrown = errors.New("a subagent's file has changed")

// `resume` marks the files that an earlier reading has read.
func (a *agentFiles) resume(sizes map[string]int64) error {
	for id, size := range sizes {
		file := a.find(id, "")
		if file == nil || file.size != size {
			return errGrown
		}
		file.before = true
	}
	return nil
}

// subagent reads the file of the subagent that a call started, after the step with the call.
func (s *session) subagent(parent *assemble.Conversation, step int, call *assemble.Call, id string) error {
	file := s.agents.find(id, call.ID)
	if file == nil || file.read || file.before {
		return nil
	}
	if file.role == "" {
		file.role = payload.Name(strings.ToLower(memberText(call.Input, "subagent_type")))
	}
	return s.readAgent(parent, file, step)
}

// readAgent adds a subagent's file to the record. An unreadable file is only counted.
func (s *session) readAgent(parent *assemble.Conversation, file *agentFile, step int) error {
	file.read = true
	if s.depth >= maxAgentDepth {
		parent.Drop("subagent_too_deep")
		return nil
	}
	opened, err := transcript.Open(file.path)
	if err != nil {
		parent.Drop("subagent_unreadable")
		return nil
	}
	defer func() { _ = opened.Close() }()
	file.size = opened.Size()
	s.depth++
	defer func() { s.depth-- }()
	kept := s.entry // the parent's line that is being read
	defer func() { s.entry = kept }()
	ch := &chain{c: parent.Child(step, file.id, file.role), file: file.name, sides: map[string]*chain{},
		roots: map[string]*chain{}}
	if err := s.read(ch, jsonlines.NewReader(opened.From(0), 0, 0)); err != nil {
		return err
	}
	if err := ch.end(); err != nil {
		return err
	}
	return ch.c.Settle()
}
