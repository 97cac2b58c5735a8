package assemble

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/prices"
	"github.com/git-trace/git-trace/records/rawjson"
)

// Finish ends the conversation: it passes on the waiting steps and returns the record without its steps. Call Cursor
// before Finish, not after it.
func (c *Conversation) Finish() (*records.Record, error) {
	if err := c.Settle(); err != nil {
		return nil, err
	}
	s := c.state
	s.whole(c.options.Prices)
	r := &records.Record{
		SchemaVersion: records.SchemaVersion, TraceID: c.options.TraceID, SessionID: c.options.Session,
		Lifecycle:      records.Provisional,
		TimestampStart: records.Text(cmp.Or(s.Start, s.Head.Began)), TimestampEnd: records.Text(s.End),
		ExecutionContext: new(records.Devtime),
		Agent: records.Agent{Name: c.options.Agent, Version: records.Text(s.Head.Version),
			Model: records.Text(s.model())},
		SystemPrompts: s.Head.Prompts, ToolDefinitions: s.Head.Tools,
		Dependencies: s.Facts.Sorted(),
		Outcome:      s.outcome(),
		Metrics:      s.metrics(),
		Attribution:  s.Files.attribution(c.options.TraceID),
	}
	r.Environment = records.Environment{OS: records.Text(s.Head.OS), Shell: records.Text(s.Head.Shell),
		LanguageEcosystem: s.Facts.Ecosystem()}
	if s.Head.Git || len(s.Commits) > 0 {
		r.Environment.VCS = records.VCS{Type: records.VCSGit, Branch: records.Text(s.Head.Branch),
			BaseCommit: records.Text(s.Head.BaseCommit)}
	}
	r.Task.BaseCommit = records.Text(s.Head.BaseCommit)
	r.Task.Repository, r.Task.RepositoryURL = Repository(s.Head.Repository)
	if s.Task != nil {
		r.Task.Description, r.Task.Source = &s.Task.Text, &s.Task.Source
	}
	s.describe(r, cmp.Or(c.options.Method, "session_file"))
	if dir, inside := c.began(); inside {
		r.SetMeta(records.MetaDirectory, dir)
	}
	if r.Metrics.EstimatedCostUSD != nil {
		r.SetMeta(records.MetaPricesAsOf, c.options.Prices.AsOf)
	}
	return r, nil
}

// unknownModel is the name of an unknown model in the list of models without a price.
const unknownModel = "unknown"

// `whole` uses the token counts of the whole conversation if its answers have none.
func (s *state) whole(table *prices.Table) {
	if s.Head.Usage == nil || s.Usage != (records.TokenUsage{}) {
		return
	}
	s.Usage = *s.Head.Usage
	cost, known := table.Cost(s.model(), prices.Usage{TokenUsage: s.Usage})
	if s.Cost = cost; !known {
		s.Unpriced = append(s.Unpriced, cmp.Or(s.model(), unknownModel))
	}
}

// `began` returns the directory in the work tree in which the conversation began, "." for its root; false if it began
// elsewhere or the work tree is unknown.
func (c *Conversation) began() (string, bool) {
	dirs := c.state.Head.Cwds
	if len(dirs) == 0 || c.options.Relative == nil {
		return "", false
	}
	const probe = "x" // a name in the directory, because Relative does not accept the root itself
	path, inside := c.options.Relative(strings.TrimSuffix(dirs[0], "/") + "/" + probe)
	return cmp.Or(strings.TrimSuffix(strings.TrimSuffix(path, probe), "/"), "."), inside
}

// model returns the model with the most answers in the main conversation.
func (s *state) model() string {
	best := ""
	for _, name := range slices.Sorted(maps.Keys(s.Models)) {
		if best == "" || cmp.Or(cmp.Compare(s.Models[name].Main, s.Models[best].Main),
			cmp.Compare(s.Models[name].Steps, s.Models[best].Steps)) > 0 {
			best = name
		}
	}
	return best
}

func (s *state) metrics() records.Metrics {
	m := records.Metrics{
		TotalSteps: s.Next, TotalInputTokens: s.Usage.InputTokens, TotalOutputTokens: s.Usage.OutputTokens,
		TotalCacheReadTokens: s.Usage.CacheReadTokens, TotalCacheCreationTokens: s.Usage.CacheWriteTokens,
	}
	if seen := s.Usage.InputTokens + s.Usage.CacheReadTokens + s.Usage.CacheWriteTokens; seen > 0 {
		m.CacheHitRate = new(records.Float(round(float64(s.Usage.CacheReadTokens)/float64(seen), 1e4)))
	}
	if len(s.Unpriced) == 0 && s.Usage != (records.TokenUsage{}) {
		m.EstimatedCostUSD = new(records.Float(prices.Round(s.Cost)))
	}
	start, errStart := time.Parse(time.RFC3339Nano, s.Start)
	end, errEnd := time.Parse(time.RFC3339Nano, s.End)
	if errStart == nil && errEnd == nil {
		m.TotalDurationS = new(records.Float(float64(end.Sub(start).Milliseconds()) / 1000))
	}
	return m
}

func round(f, by float64) float64 { return float64(int64(f*by+0.5)) / by }

func (s *state) outcome() records.Outcome {
	o := records.Outcome{
		Success: s.Head.Success, Description: records.Text(s.Head.Description),
		SignalSource: cmp.Or(s.Head.Source, records.SourceDeterministic), SignalConfidence: records.SignalInferred,
	}
	if n := len(s.Commits); n > 0 {
		o.Committed = true
		o.CommitSHA = records.Text(s.Commits[n-1].SHA)
		o.SignalConfidence = records.SignalDerived
	}
	if s.Head.Terminal != "" {
		o.TerminalState = new(s.Head.Terminal)
	}
	return o
}

// describe fills the record's metadata.
func (s *state) describe(r *records.Record, method string) {
	for name, value := range s.Head.Meta {
		r.SetMeta(name, value)
	}
	for name, list := range s.Lists {
		if name == records.MetaHookBefore || name == records.MetaHookAfter {
			r.SetMeta(name, byCall(list))
			continue
		}
		r.SetMeta(name, list)
	}
	if len(s.Commits) > 0 {
		r.SetMeta("commits", s.Commits)
	}
	if len(s.Hooks) > 0 {
		r.SetMeta("hook_counts", s.Hooks)
	}
	if len(s.Sources) > 0 {
		r.SetMeta("sources", s.Sources)
	}
	if branches := s.tree.branches(); len(branches) > 0 {
		r.SetMeta("branches", branches[:min(len(branches), maxList)])
	}
	if len(s.Head.Versions) > 1 {
		r.SetMeta("versions", s.Head.Versions)
	}
	if len(s.Subagents) > 0 {
		r.SetMeta("subagents", s.Subagents)
	}
	if len(s.Models) > 1 {
		r.SetMeta("models", s.Models)
	}
	if len(s.Unpriced) > 0 {
		slices.Sort(s.Unpriced)
		r.SetMeta("models_without_price", s.Unpriced)
	}
	capture := map[string]any{"method": method, "tool_calls": s.Calls, "lines": s.Lines}
	if len(s.Skipped) > 0 {
		capture["skipped_lines"] = s.Skipped
	}
	dropped := map[string]int{}
	for reason, n := range s.Dropped {
		if n != 0 {
			dropped[reason] = n
		}
	}
	if len(dropped) > 0 {
		capture["dropped"] = dropped
	}
	if s.Stops > 0 {
		capture["stop_reasons"] = s.Stops
	}
	if s.LateResults > 0 {
		capture["late_results"] = s.LateResults
	}
	r.SetMeta("capture", capture)
}

// Repository returns the owner and name of a repository, and its remote's URL without credentials; nil if the URL has
// no such parts.
func Repository(remote string) (name, address *string) {
	remote = strings.TrimSuffix(strings.TrimSpace(remote), "/")
	if remote == "" || strings.HasPrefix(remote, "/") || strings.HasPrefix(remote, ".") ||
		strings.HasPrefix(remote, "file:") {
		return nil, nil
	}
	var host, path string
	if u, err := url.Parse(remote); err == nil && u.Host != "" {
		host, path = u.Hostname(), u.Path
	} else if at, rest, found := strings.Cut(remote, ":"); found { // scp-like: git@host:owner/name
		_, after, hasUser := strings.Cut(at, "@")
		if host = at; hasUser {
			host = after
		}
		path = rest
	}
	path = strings.Trim(strings.TrimSuffix(path, ".git"), "/")
	if host == "" || path == "" || strings.ContainsAny(host+path, " \t\n\\") {
		return nil, nil
	}
	address = new("https://" + host + "/" + path)
	if parts := strings.Split(path, "/"); len(parts) >= 2 {
		name = new(strings.Join(parts[len(parts)-2:], "/"))
	}
	return name, address
}

func toolName(definition json.RawMessage) string {
	d := rawjson.NewDecoder(definition)
	for d.Open(); d.Member(); {
		if string(d.Key()) == "name" {
			return d.Text()
		}
	}
	return ""
}
