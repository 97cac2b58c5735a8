package unseen

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/events/index"
	"github.com/git-trace/git-trace/refs"
)

// Answers are kept in <common>/traces/cache/found, one file for each path. The first line of a file is JSON and names
// the logs for which it is valid. Each further line is an answer. The files may be deleted at any time. They grow by
// whole lines, and a reader skips lines that it cannot read. Answers from other clones' logs alone have separate files.
// Answers from this clone's log alone have a separate directory.
//
// An answer stores the lengths of the logs and its conditions: contents, changes, paths, lines, replaced commits, calls
// (index.Key). It is valid until a later event mentions one of them. If every log names a descendant of a commit, later
// events cannot be its source, so lines and paths are not conditions. Answers about whole commits are grouped into
// files by the first digit of the commit id.

const keptVersion = 3

// Dir returns the directory of kept answers. The answers contain names of paths and conversations, and no text.
func Dir(repo *refs.Repo) string { return filepath.Join(repo.TracesDir(), "cache", "found") }

// keptBytes limits the size of a file. A larger file is replaced by a new one.
const keptBytes = 4 << 20

// keptHead names the logs for which a file is valid.
type keptHead struct {
	Version int      `json:"v"`
	Logs    []string `json:"logs"`
	Shallow string   `json:"shallow,omitempty"` // commits at which a shallow history ends; usually empty
}

type keptAnswer struct {
	Commit refs.OID             `json:"c"`
	Last   []int64              `json:"n"`           // number of the last event of each log
	Keys   []byte               `json:"k,omitempty"` // conditions of the answer, concatenated
	Lines  []int                `json:"q,omitempty"` // sorted lines that the answer is about; empty for all lines
	Owners []events.AnchorOwner `json:"o,omitempty"`
	File   *events.AnchorFile   `json:"f,omitempty"`
	Whole  *events.CommitData   `json:"w,omitempty"`
	Added  *int                 `json:"a,omitempty"` // added lines of a whole commit, if they were counted
}

// The names under which answers about whole commits are kept: one for all logs, one for other clones' logs.
const (
	noPath          = ""
	noPathElsewhere = "\x00elsewhere"
)

// wholeUnder returns the key of the file that holds the answer about a whole commit.
func wholeUnder(under string, commit refs.OID) string { return under + "\x00" + commit.String()[:1] }

// `kept` holds the stored answers of a repository.
type kept struct {
	dir    string
	traced bool // the repository has traces, so answers are stored
	head   []byte
	last   []int64
	paths  map[string]*keptPath
	fresh  int // number of answers that are not yet stored
}

// keepEvery is the number of new answers that are stored together. An interrupted search loses at most this many.
const keepEvery = 1024

// keptPath holds the answers about one path.
type keptPath struct {
	answers map[refs.OID]keptAnswer
	added   map[refs.OID]bool // answers that are not yet stored
	anew    bool              // the file must be replaced: it is for other logs, or too long
}

func loadKept(repo *refs.Repo, d *index.Digest, alone bool) *kept {
	shallow, _ := os.ReadFile(filepath.Join(repo.CommonDir, "shallow"))
	sum := ""
	if len(shallow) > 0 {
		whole := blake3.Sum256(shallow)
		sum = hex.EncodeToString(whole[:8])
	}
	head, _ := json.Marshal(keptHead{keptVersion, d.Names(), sum}) // encoding strings never fails
	k := &kept{
		dir: Dir(repo), traced: repo.HasTraces(), head: append(head, '\n'),
		paths: map[string]*keptPath{},
	}
	if alone {
		k.dir = filepath.Join(k.dir, "own")
	}
	for log := range d.Logs() {
		k.last = append(k.last, d.Last(log))
	}
	return k
}

func (k *kept) file(path string) string {
	sum := blake3.Sum256([]byte(path))
	return filepath.Join(k.dir, hex.EncodeToString(sum[:12]))
}

// path reads the stored answers about a path.
func (k *kept) path(path string) *keptPath {
	if p := k.paths[path]; p != nil {
		return p
	}
	p := &keptPath{answers: map[refs.OID]keptAnswer{}, added: map[refs.OID]bool{}}
	k.paths[path] = p
	raw, err := os.ReadFile(k.file(path))
	rest, sound := bytes.CutPrefix(raw, k.head)
	if err != nil || !sound || len(raw) > keptBytes {
		p.anew = true
		return p
	}
	for line := range bytes.Lines(rest) {
		var a keptAnswer
		if json.Unmarshal(line, &a) == nil && len(a.Last) == len(k.last) {
			p.answers[a.Commit] = a
		}
	}
	return p
}

// keptUnder returns the key under which the answer to a question is stored. A path never contains a NUL.
func (q *Question) keptUnder() string {
	if q.Elsewhere {
		return q.Path + "\x00elsewhere"
	}
	return q.Path
}

// recallAnswer returns the stored answer to a question, if it is still valid.
func (s *Search) recallAnswer(q Question) (Answer, bool) {
	a, found := s.kept.path(q.keptUnder()).answers[q.Commit]
	if !found || !a.isAbout(q.Lines) || !s.holds(&a) {
		return Answer{}, false
	}
	if a.File == nil {
		return Answer{}, true
	}
	return Answer{a.Owners, *a.File}, true
}

// isAbout reports whether an answer is about the given lines; no lines means all.
func (a *keptAnswer) isAbout(lines []int) bool {
	if a.Lines == nil {
		return true
	}
	return len(lines) > 0 && !slices.ContainsFunc(lines, func(line int) bool {
		_, asked := slices.BinarySearch(a.Lines, line)
		return !asked
	})
}

// `holds` reports whether an answer is still valid: no later event mentions one of its conditions.
func (s *Search) holds(a *keptAnswer) bool {
	if slices.Equal(a.Last, s.kept.last) {
		return true
	}
	for raw := range slices.Chunk(a.Keys, len(index.Key{})) {
		var key index.Key
		if copy(key[:], raw); s.digest.Spoke(key, a.Last) {
			return false
		}
	}
	return true
}

// `remember` stores an answer, unless it is temporary. The parameter `lines` lists the lines in question; nil means all
// lines.
func (s *Search) remember(q Question, answer Answer, on depends, lines ...int) {
	a := keptAnswer{Owners: answer.Owners, Lines: slices.Sorted(slices.Values(lines))}
	if answer.File.Path != "" {
		a.File = &answer.File
	}
	s.rememberUnder(q.keptUnder(), q.Commit, a, on)
}

func (s *Search) rememberUnder(under string, commit refs.OID, a keptAnswer, on depends) {
	if on.passing || on.lacking {
		s.passing, s.lacking = s.passing || on.passing, s.lacking || on.lacking
		return
	}
	a.Commit, a.Last, a.Keys = commit, s.kept.last, on.keys
	s.take(under, a)
}

// take adds an answer to the answers in memory.
func (s *Search) take(under string, a keptAnswer) {
	p := s.kept.path(under)
	p.answers[a.Commit], p.added[a.Commit] = a, true
	if s.kept.fresh++; s.kept.fresh >= keepEvery {
		s.keep()
	}
}

// recallCommit returns the stored answer about a whole commit. The result `found` is nil for a commit without a
// finding.
func (s *Search) recallCommit(under string, commit refs.OID) (found *events.CommitData, ok bool) {
	a, there := s.kept.path(wholeUnder(under, commit)).answers[commit]
	if !there || !s.holds(&a) {
		return nil, false
	}
	if a.Added != nil {
		s.added[commit] = *a.Added
	}
	return a.Whole, true
}

// rememberCommit stores an answer about a whole commit.
func (s *Search) rememberCommit(under string, commit refs.OID, found *events.CommitData, on depends) {
	a := keptAnswer{Whole: found}
	if n, counted := s.Added(commit); counted {
		a.Added = &n
	}
	s.rememberUnder(wholeUnder(under, commit), commit, a, on)
}

// Counted stores the number of added lines that git counted for a searched commit.
func (s *Search) Counted(commit refs.OID, lines int) {
	if s.added[commit] = lines; s.kept == nil {
		return
	}
	under := wholeUnder(noPath, commit)
	if a, there := s.kept.path(under).answers[commit]; there {
		a.Added = &lines
		s.take(under, a)
	}
}

// keep writes the new answers to files. If this fails, later searches compute them again.
func (s *Search) keep() {
	if s.kept == nil || !s.kept.traced {
		return
	}
	s.kept.fresh = 0
	for path, p := range s.kept.paths {
		var out []byte
		for commit := range p.added {
			line, err := json.Marshal(p.answers[commit])
			if err == nil {
				out = append(append(out, line...), '\n')
			}
		}
		clear(p.added)
		if len(out) == 0 || refs.MakeDirs(s.kept.dir, 0o700) != nil {
			continue
		}
		name := s.kept.file(path)
		if p.anew {
			_ = refs.WriteFileAtomic(name, append(bytes.Clone(s.kept.head), out...), 0o600)
			p.anew = false
			continue
		}
		appendTo(name, out)
	}
}

func appendTo(name string, lines []byte) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(lines)
	_ = f.Close()
}
