package agents_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/steering"
	"github.com/git-trace/git-trace/records/treetrace"
)

// label is what a reader says of a place in a session file.
type label struct {
	file string
	line int
	rest []string // kinds, and why; a type, yes or no, and why
}

func readLabels(t *testing.T, name string) []label {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "records", "steering", "testdata", "labels", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []label
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		n, err := strconv.Atoi(fields[1])
		if err != nil || len(fields) < 4 {
			t.Fatalf("%s: %q", name, line)
		}
		out = append(out, label{fields[0], n, fields[2:]})
	}
	return out
}

// labelled is a session file with what our rules and upstream's say of it.
type labelled struct {
	lines  [][]byte
	record *records.Record
	nodes  []treetrace.Node
	other  []upstreamNode
}

// labelledSessions reads session files of the corpus, each once.
type labelledSessions struct {
	root string
	have map[string]*labelled
}

func (s *labelledSessions) session(t *testing.T, file string) *labelled {
	t.Helper()
	if have := s.have[file]; have != nil {
		return have
	}
	path := filepath.Join(s.root, filepath.FromSlash(file))
	agent, found, err := agents.Identify(agents.Env{Home: t.TempDir()}, path)
	if err != nil || !found {
		t.Fatalf("%s: no agent knows it: %v", file, err)
	}
	var steps records.Collector
	parsed, err := agent.Parser.Parse(t.Context(), path, agents.ParseOptions{}, &steps)
	if err != nil {
		t.Fatal(err)
	}
	out := &labelled{record: parsed.Head}
	out.record.Steps = steps.Steps
	b, err := steering.New(steering.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.Add(&steering.Conversation{Record: out.record})
	d := b.Document()
	out.nodes = d.Nodes
	out.other = upstream(out.record, d.Nodes)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out.lines = bytes.Split(raw, []byte("\n"))
	s.have[file] = out
	return out
}

// node is the number of the prompt that stands on a line, by the id of its record, otherwise by its time.
func (l *labelled) node(line int) int {
	text := l.lines[line-1]
	for i := range l.nodes {
		n := &l.nodes[i]
		for _, id := range n.SourceEventIDs {
			if bytes.Contains(text, []byte(`"`+id+`"`)) {
				return i
			}
		}
		if len(n.SourceEventIDs) == 0 && n.Timestamp != nil && bytes.Contains(text, []byte((*n.Timestamp)[:19])) {
			return i
		}
	}
	return -1
}

// call is the id of the call whose result stands on a line.
func (l *labelled) call(line int) (id string, err error) {
	for i := range l.record.Steps {
		for j := range l.record.Steps[i].ToolCalls {
			id := l.record.Steps[i].ToolCalls[j].ToolCallID
			if bytes.Contains(l.lines[line-1], []byte(`"`+id+`"`)) {
				return id, nil
			}
		}
	}
	return "", fmt.Errorf("no call stands on line %d", line)
}

// score counts what was said, what of it was right, what there is, and what of that was found.
type score struct{ said, right, there, found int }

func (s score) String() string {
	return fmt.Sprintf("precision %s, recall %s", share(s.right, s.said), share(s.found, s.there))
}

func share(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f (%d of %d)", float64(part)/float64(whole), part, whole)
}

func (s score) precision() float64 { return float64(s.right) / float64(max(s.said, 1)) }
func (s score) recall() float64    { return float64(s.found) / float64(max(s.there, 1)) }

type scores map[string]*score

func (s scores) of(name string) *score {
	if s[name] == nil {
		s[name] = &score{}
	}
	return s[name]
}

func (s scores) log(t *testing.T, what string, other scores) {
	t.Helper()
	var names []string
	for name := range s {
		names = append(names, name)
	}
	for name := range other {
		if s[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		t.Logf("%s %-24s ours: %s; upstream's rules: %s", what, name, s.of(name), other.of(name))
	}
}

// Kinds of prompts, rejections and failures of real conversations are held against what a reader says of them, ours and
// those of upstream's rules. docs/steering.md has the figures.
func TestWhatIsSaidOfRealConversationsIsMeasured(t *testing.T) {
	t.Parallel()
	sessions := &labelledSessions{root: corpus(), have: map[string]*labelled{}}
	if sessions.root == "" {
		t.Skip("the corpus is not here")
	}
	t.Run("kinds", sessions.kinds)
	t.Run("calls", sessions.calls)
	t.Run("signals", sessions.signals)
}

func (s *labelledSessions) kinds(t *testing.T) {
	ours, theirs := scores{}, scores{}
	labels := readLabels(t, "kinds.tsv")
	for _, one := range labels {
		session := s.session(t, one.file)
		i := session.node(one.line)
		if i < 0 {
			t.Errorf("%s:%d: no prompt stands there", one.file, one.line)
			continue
		}
		fits := strings.Split(one.rest[0], ",")
		tell(ours, session.nodes[i].Kind, fits)
		tell(theirs, session.other[i].kind, fits)
	}
	ours.log(t, "kind", theirs)
	if len(labels) < 150 {
		t.Errorf("%d prompts are labelled", len(labels))
	}
	for kind, least := range map[string]score{
		treetrace.Correction: {right: 90, found: 70}, treetrace.Checkpoint: {right: 90, found: 80},
		treetrace.Question: {right: 80, found: 90}, treetrace.Direction: {right: 85, found: 95},
	} {
		have := ours.of(kind)
		if have.precision()*100 < float64(least.right) || have.recall()*100 < float64(least.found) {
			t.Errorf("%s: %s; at least %d and %d of 100 are wanted", kind, have, least.right, least.found)
		}
	}
}

// tell counts a kind that was said of a prompt that may be one of several. Only what is nothing else counts as there.
func tell(s scores, said string, fits []string) {
	s.of(said).said++
	if slices.Contains(fits, said) {
		s.of(said).right++
	}
	if len(fits) == 1 {
		s.of(fits[0]).there++
		if said == fits[0] {
			s.of(fits[0]).found++
		}
	}
}

// sameRejection reports whether a kind is what a reader says. Declined and stopped calls cannot be told apart by
// reading.
func sameRejection(label, kind string) bool {
	switch label {
	case "failed":
		return kind == treetrace.ToolError
	case "denied":
		return kind == treetrace.PermissionDenied
	case "declined", "interrupted":
		return kind == treetrace.UserDeclinedTool || kind == treetrace.UserInterrupt
	}
	return false
}

func (s *labelledSessions) calls(t *testing.T) {
	ours, theirs := scores{}, scores{}
	all := map[*labelled]bool{}
	read := map[string]bool{}
	for _, one := range readLabels(t, "calls.tsv") {
		session := s.session(t, one.file)
		all[session] = true
		id, err := session.call(one.line)
		if err != nil {
			t.Errorf("%s: %v", one.file, err)
			continue
		}
		read[id] = true
		count(ours, one.rest[0], rejectionOf(session.nodes, id))
		count(theirs, one.rest[0], session.otherRejection(id))
	}
	ours.log(t, "call", theirs)
	for session := range all {
		for i := range session.nodes {
			for j := range session.nodes[i].Rejections {
				if id := session.nodes[i].Rejections[j].ToolUseID; id != nil && !read[*id] {
					t.Errorf("call %s is told as %s, and nobody has read it", *id, session.nodes[i].Rejections[j].Kind)
				}
			}
		}
	}
	for name, have := range ours {
		if have.found != have.there {
			t.Errorf("%s: %s", name, have)
		}
		if have.said >= 10 && have.precision() < 0.9 {
			t.Errorf("%s: %s", name, have)
		}
	}
}

// count counts what was said of a call; "" is nothing.
func count(s scores, label, said string) {
	name := map[string]string{"failed": "failed", "denied": "denied", "declined": "declined", "interrupted": "declined"}
	if said != "" {
		by := map[string]string{
			treetrace.ToolError: "failed", treetrace.PermissionDenied: "denied",
			treetrace.UserDeclinedTool: "declined", treetrace.UserInterrupt: "declined",
		}[said]
		s.of(by).said++
		if sameRejection(label, said) {
			s.of(by).right++
		}
	}
	if name[label] != "" {
		s.of(name[label]).there++
		if sameRejection(label, said) {
			s.of(name[label]).found++
		}
	}
}

func rejectionOf(nodes []treetrace.Node, call string) string {
	for i := range nodes {
		for j := range nodes[i].Rejections {
			if id := nodes[i].Rejections[j].ToolUseID; id != nil && *id == call {
				return nodes[i].Rejections[j].Kind
			}
		}
	}
	return ""
}

func (s *labelledSessions) signals(t *testing.T) {
	labels := readLabels(t, "signals.tsv")
	type place struct {
		session *labelled
		node    int
		kind    string
	}
	is := map[place]bool{}
	files := map[*labelled]bool{}
	for _, one := range labels {
		session := s.session(t, one.file)
		files[session] = true
		is[place{session, session.node(one.line), one.rest[0]}] = one.rest[1] == "yes"
	}
	ours, theirs, tiers := scores{}, scores{}, scores{}
	for session := range files {
		for i := range session.nodes {
			for j := range session.nodes[i].FailureSignals {
				f := &session.nodes[i].FailureSignals[j]
				right, read := is[place{session, i, f.Type}]
				if !read {
					t.Errorf("%s of prompt %d (%s): nobody has read it", f.Type, i+1, session.record.SessionID)
				}
				for _, c := range []*score{ours.of(f.Type), tiers.of(f.Tier), tiers.of(f.Tier + " " + f.Type)} {
					c.said++
					if right {
						c.right++
					}
				}
			}
			for _, kind := range session.other[i].signals {
				theirs.of(kind).said++
				if is[place{session, i, kind}] {
					theirs.of(kind).right++
				}
			}
		}
	}
	for at, yes := range is {
		if !yes {
			continue
		}
		ours.of(at.kind).there++
		theirs.of(at.kind).there++
		if slices.ContainsFunc(at.session.nodes[at.node].FailureSignals, func(f treetrace.Signal) bool {
			return f.Type == at.kind
		}) {
			ours.of(at.kind).found++
		}
		if slices.Contains(at.session.other[at.node].signals, at.kind) {
			theirs.of(at.kind).found++
		}
	}
	ours.log(t, "signal", theirs)
	for name, one := range tiers {
		t.Logf("tier %-10s precision %s", name, share(one.right, one.said))
		if !strings.HasPrefix(name, treetrace.Inferred) && one.precision() < 0.9 {
			t.Errorf("%s: %s", name, one)
		}
	}
	if len(labels) < 60 {
		t.Errorf("%d failures are labelled", len(labels))
	}
}
