package trails

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/trails/linediff"
	"github.com/git-trace/git-trace/trails/process"
	"github.com/git-trace/git-trace/trails/rename"
)

// Window is a tool call between its before-boundary and its after-boundary, as the state of the work tree stores it.
type Window struct {
	Call Call
	Run  running
	Says sayings
	// Opened is the interval number of the before-boundary.
	Opened int64
	// Closed is the interval number of the after-boundary; 0 while the window is open.
	Closed int64
	// Asked is the time at which the agent asked for consent to the call. It is zero after an answer with a known time.
	Asked  time.Time
	Limits []events.Limit
	// Doubt means that the window may have ended at a lost boundary. Why gives the known reason.
	Doubt bool
	Why   events.Limit
	// Tail is true if the agent has reported no boundary since the call ended: hooks of the user may still change its
	// files (doubts.go).
	Tail bool
	// Wrote is the interval in which the call first got a line; 0 if it has none.
	Wrote int64
	// Rejected marks a call that never ran; it owns no lines.
	Rejected bool
}

// Call names the call of a window, and its conversation.
type Call struct {
	Trace      events.TraceID
	Agent      string
	Session    string
	Subagent   string
	ID         string
	Print      string // fingerprint of a call without an id from the agent
	Tool       string
	Class      events.ToolClass
	Model      string
	Prompt     int
	Step       int
	Transcript string
}

// running describes the processes of a call.
type running struct {
	// Host is the agent's process; Sure is true if it is certainly the agent. Since is the time at which the call's first
	// hook started, in the units of the system. Begun is the same time by the clock, or the last time at which the call's
	// processes were seen alive. Mark is the mark of the boundary that opened the window.
	Host  process.ID
	Sure  bool
	Since int64
	Begun time.Time
	Mark  string
	// Opener is the id of the newest process when the window was opened, or if that is unknown, of the process that opened
	// it.
	Opener int
	// Awake is the time that the system had been awake at Begun, in nanoseconds; 0 if unknown.
	Awake int64
	// `Left` holds the processes that continue after the call's end, and Printed the files to which they print, both at
	// the last full snapshot.
	Left    []process.Process
	Printed []process.Output
	// Background marks a call that continues after its after-boundary; TaskID is the agent's name of the task.
	Background bool
	TaskID     string
}

// sayings holds the reports of a call about the files that it writes.
type sayings struct {
	// Paths holds the declared paths, relative to the work tree.
	Paths []string
	// Names holds the keys (nameKey) of the files that the call's command line names.
	Names []string
	// Edits holds the declared texts, kept until the changes of the call have their owners.
	Edits []declared
	// Hidden holds the texts that the call wrote to files that git skips (saying), until git sees them.
	Hidden []saying

	payload []declared // the report of the present boundary, of any size
}

// declared is a call's report about one path: the texts of its edits, or the whole contents.
type declared struct {
	Path   string
	Old    string
	New    string
	Before *string
	After  *string
	Exact  bool
	// Proposed is the agent's text, if a person changed it before the tool wrote it.
	Proposed *string
	// typed holds the lines of Before that an editor saw a person type. The field `put` holds the typed lines that may
	// also be a completion's.
	typed, put []events.LineRun
	at         *events.Place
}

// size returns the number of bytes of the report's texts.
func (d *declared) size() int {
	n := len(d.Old) + len(d.New)
	for _, whole := range []*string{d.Before, d.After, d.Proposed} {
		if whole != nil {
			n += len(*whole)
		}
	}
	return n
}

// `same` reports whether the window belongs to the given tool call.
func (w *Window) same(trace events.TraceID, callID string) bool {
	return w.Call.Trace == trace && w.Call.ID == callID
}

// call returns the window of the call that a boundary names; nil if there is none. Some agents name another session at
// a call's end than at its beginning, so only the id of the call is compared.
func (s *state) call(trace events.TraceID, b events.Boundary) *Window {
	var elsewhere *Window
	for _, w := range s.Windows {
		switch {
		case w.same(trace, b.Tool.CallID):
			return w
		case w.Closed == 0 && w.Call.Agent == b.Agent && w.Call.ID == b.Tool.CallID && w.Call.Print == "":
			elsewhere = w
		}
	}
	return elsewhere
}

// mayWrite reports whether the call could have written the path: an edit tool writes only the paths that it
// declares.
func (w *Window) mayWrite(p string) bool {
	if w.Call.Class != events.ToolEdits {
		return true
	}
	return slices.ContainsFunc(w.Says.Paths, func(d string) bool {
		return d == p || strings.HasPrefix(p, d+"/")
	})
}

// `named` reports whether the call named the path: an edit tool always does, a shell if its command line has the name.
func (w *Window) named(p string) bool {
	return w.Call.Class == events.ToolEdits || slices.Contains(w.Says.Names, nameKey(p))
}

// nameKey returns the key of a path relative to the work tree. A path from a command line may be a secret, and is
// not kept.
func nameKey(p string) string {
	print := events.FingerprintOf([]byte(p))
	return string(print[:])
}

// `declares` returns the edits that the window declared for the path.
func (w *Window) declares(p string) []declared {
	var out []declared
	edits := w.Says.payload
	if edits == nil {
		edits = w.Says.Edits
	}
	for _, d := range edits {
		if d.Path == p {
			out = append(out, d)
		}
	}
	return out
}

// candidate names the window in an event.
func (w *Window) candidate() events.CandidateData {
	return events.CandidateData{
		Trace: w.Call.Trace, Agent: w.Call.Agent, Session: w.Call.Session, Subagent: w.Call.Subagent, ToolCall: w.Call.ID,
	}
}

// writers returns the windows that could have written the path since the interval of the last look: open windows, and
// windows closed later than that.
func writers(windows []*Window, p string, seen int64) []*Window {
	var out []*Window
	for _, w := range windows {
		if w.Rejected || w.Closed != 0 && w.Closed <= seen {
			continue
		}
		if w.mayWrite(p) {
			out = append(out, w)
		}
	}
	return out
}

// Snapshots do not see a file that git skips: an ignored one, or one marked skip-worktree or assume-unchanged. An edit
// call still reports its writes to such a file. Its window keeps fingerprints of the reported lines until git sees the
// file: after git add --force, or when it is no longer ignored or marked. Then the call owns those lines. The other
// lines have no known time and no known writer.

// saying is a call's declared text for a path that git skips.
type saying struct {
	Path  string
	After refs.OID // the whole content, if the call reported it
	Lines string   // events.EncodeFingerprints
	// Whole is true if every line of the file is known from this call, or from an earlier call whose content this call
	// found.
	Whole bool
}

// Bounds of the number of sayings in a state, and of the lines of each.
const (
	maxSayings     = 128
	maxSayingLines = 2000
)

// keepSayings serves paths that git skips. It keeps the contents that ending calls reported for them.
func (l *looks) keepSayings(closing []ending) {
	for _, end := range closing {
		w := end.window
		if end.status != "done" || w.Call.Class != events.ToolEdits || l.snap == nil {
			continue
		}
		for _, path := range w.Says.Paths {
			if len(w.declares(path)) == 0 || !l.passesOver(path) {
				continue
			}
			if said, fits := l.sayingOf(w, path); fits {
				w.Says.Hidden = append(w.Says.Hidden, said)
			}
		}
	}
}

// passesOver reports whether git skips an existing file.
func (l *looks) passesOver(path string) bool {
	if l.snap.PassedOver(path) {
		return true
	}
	_, found := l.snap.Lookup(path)
	if found {
		return false
	}
	info, err := os.Lstat(filepath.Join(l.tree.repo.WorkTree, filepath.FromSlash(path))) // it is not read
	return err == nil && info.Mode().IsRegular()
}

func (l *looks) sayingOf(w *Window, path string) (saying, bool) {
	said := saying{Path: path}
	lines := declaredLines(w, path)
	if len(lines) > maxSayingLines {
		return said, false
	}
	var prints []events.Fingerprint
	for key := range lines {
		if print := events.FingerprintOf([]byte(key)); !print.Blank() {
			prints = append(prints, print)
		}
	}
	slices.SortFunc(prints, func(a, b events.Fingerprint) int { return slices.Compare(a[:], b[:]) })
	said.Lines = events.EncodeFingerprints(prints)
	var before *string
	for _, d := range w.declares(path) {
		if before == nil {
			before = d.Before
		}
		if d.After != nil {
			said.After = l.tree.repo.Format.Hash(refs.BlobObject, []byte(*d.After))
		}
	}
	if before != nil && !said.After.IsZero() {
		found := l.tree.repo.Format.Hash(refs.BlobObject, []byte(*before))
		last, was := l.tree.state.said(path)
		said.Whole = *before == "" || was && last.Whole && last.After == found
	}
	return said, true
}

func (s *state) said(path string) (last saying, found bool) {
	for _, w := range s.Windows {
		for _, one := range w.Says.Hidden {
			if one.Path == path {
				last, found = one, true
			}
		}
	}
	return last, found
}

// heardOf drops the sayings about a path after a look has seen the path.
func (s *state) heardOf(path string) {
	for _, w := range s.Windows {
		w.Says.Hidden = slices.DeleteFunc(w.Says.Hidden, func(one saying) bool { return one.Path == path })
	}
}

// maxTexts limits the number of bytes of declared texts that the state keeps for ended calls.
const maxTexts = 8 << 20

// boundTexts drops declared texts: of calls that ended before the last full snapshot, and the oldest beyond the bound.
func (s *state) boundTexts() {
	n := 0
	for _, w := range slices.Backward(s.Windows) {
		if w.Closed == 0 {
			continue
		}
		for _, d := range w.Says.Edits {
			n += d.size()
		}
		if n > maxTexts || w.Closed <= s.LastFull {
			w.Says.Edits = nil
		}
	}
}

// boundSayings drops the oldest sayings beyond the bound.
func (s *state) boundSayings() {
	n := 0
	for _, w := range slices.Backward(s.Windows) {
		if n += len(w.Says.Hidden); n > maxSayings {
			w.Says.Hidden = nil
		}
	}
}

// turnedUp decides about the lines of a path that git skipped until now. `ok` is false if no call reported the path.
func (tree *workTree) turnedUp(path string, now refs.OID) (by decision, ok bool) {
	type heard struct {
		who   *actor
		lines map[events.Fingerprint]bool
	}
	var all []heard
	for _, w := range tree.state.Windows {
		for _, said := range w.Says.Hidden {
			if said.Path != path {
				continue
			}
			prints, err := events.DecodeFingerprints(said.Lines)
			if err != nil {
				continue
			}
			one := heard{ref(byWindow(w, path)), map[events.Fingerprint]bool{}}
			for _, print := range prints {
				one.lines[print] = true
			}
			all = append(all, one)
		}
	}
	if len(all) == 0 && !tree.passed[path] {
		return nil, false
	}
	last, _ := tree.state.said(path)
	exact := last.Whole && last.After == now
	return func(line []byte) *actor {
		print := events.FingerprintOf(line)
		if !exact && len(linediff.StripSpace(line)) < rename.WordyLine {
			return &nobody
		}
		for _, one := range slices.Backward(all) {
			if one.lines[print] || exact && print.Blank() {
				return one.who
			}
		}
		return &nobody
	}, true
}
