package resume

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-trace/git-trace/agents"
	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/recorder"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/waiting"
	"github.com/git-trace/git-trace/refs"
)

// Errors of a session file that cannot be copied up to a point.
var (
	ErrNoCopier = errors.New("it does not accept a part of a session file")
	ErrNoFile   = errors.New("the session file is not there")
	ErrPacked   = errors.New("the session file is compressed")
	ErrChanged  = errors.New("the session file and the record differ in that step")
)

// Source is the session file for a point.
type Source struct {
	agent agents.Agent
	from  capability.Beginning
	held  string // the directory in which the conversation was held
}

// Source finds the session file, and the place of the point in it.
func (p *Point) Source(ctx context.Context, env agents.Env, repo *refs.Repo) (*Source, error) {
	c := p.Conversation
	agent, found := agents.Lookup(env, c.Agent)
	if !found || agent.Copier == nil || agent.Parser == nil {
		return nil, ErrNoCopier
	}
	path, err := recorder.SessionFile(env, waiting.Session{Trace: c.Trace, Agent: c.Agent, Session: c.Session,
		Transcript: recorder.LastRead(repo, c.Trace), WorkTree: repo.WorkTree})
	switch {
	case errors.Is(err, recorder.ErrNoTranscript), errors.Is(err, os.ErrNotExist):
		return nil, ErrNoFile
	case err != nil:
		return nil, err
	case filepath.Ext(path) != ".jsonl":
		return nil, ErrPacked
	}
	s := &Source{agent: agent, from: capability.Beginning{Path: path, Session: c.Session}}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	s.from.Until = info.Size()
	seen := &place{want: p.Step}
	parsed, err := agent.Parser.Parse(ctx, path, capability.ParseOptions{Session: c.Session}, seen)
	if err != nil {
		return nil, err
	}
	if parsed.Head != nil {
		_ = json.Unmarshal(parsed.Head.Metadata[records.MetaDirectory], &s.held) // "" if it has none
	}
	if p.Step == 0 {
		return s, nil
	}
	if seen.at == nil || seen.at.File != "" || !same(&seen.step, &p.steps[p.Step-1]) {
		return nil, ErrChanged
	}
	s.from.Until = seen.at.Offset
	return s, nil
}

// place is a sink that finds the place of one step.
type place struct {
	want int
	at   *records.Locator
	step records.Step
}

func (p *place) Locate(step int, at records.Locator) {
	if step == p.want {
		p.at = &at
	}
}

func (p *place) Step(step *records.Step) error {
	if step.StepIndex == p.want {
		p.step = *step
	}
	return nil
}

func (*place) Late(int, records.Observation) error { return nil }

// Copy lets the agent write the copy for a work tree. The agent must be started in the directory of the new session.
func (s *Source) Copy(repo *refs.Repo, top string) (capability.Session, error) {
	old := ""
	for _, dir := range repo.WorkTrees() {
		if sessionfile.NewProject(dir).Holds(s.held) && len(dir) > len(old) {
			old = dir
		}
	}
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	from := s.from
	from.Dir, from.Start = top, top
	from.Dirs = sessionfile.NewProject(cmp.Or(old, repo.WorkTree)).Names()
	for _, dir := range from.Dirs {
		below, inside := strings.CutPrefix(s.held, strings.TrimSuffix(dir, string(filepath.Separator))+
			string(filepath.Separator))
		if !inside || !filepath.IsLocal(below) {
			continue
		}
		if info, err := os.Stat(filepath.Join(top, below)); err == nil && info.IsDir() {
			from.Start = filepath.Join(top, below)
		}
	}
	session, err := s.agent.Copier.Copy(from)
	if err != nil {
		return session, fmt.Errorf("copy the session: %w", err)
	}
	return session, nil
}
