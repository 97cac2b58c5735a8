package sharing

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/events"
)

// Leaf describes some members, with the lowest level at which they leave. A narrower level removes them ([told]). Other
// members leave only at the level log, which is the log itself.
type Leaf struct {
	Of      string // a type of event, or every event; publication, commit or record
	Members string // names in JSON; names of inner members have a dot before them
	Level   Level
	What    string // the words for it in the question to the person
}

// publishedCommits stands for the ids of commits that the remote has: members with other commits do not leave
// ([Plan.leaves]).
const publishedCommits = "published commits"

// everyEvent is the name for the members of all events outside of their data.
const everyEvent = "every event"

// Leaves returns the list of everything that may leave. The question before the first push is made from it. Tests
// compare the list with the table in docs/privacy.md and with the types.
func Leaves() []Leaf {
	const c, t, l = LevelCommits, LevelConversations, LevelLog
	return []Leaf{
		{everyEvent, "v seq id prev writer", c, "numbers of events"},
		{everyEvent, "time type method limits", c, "times"},
		{everyEvent, "trace agent session subagent step tool_call", c, "agents, ids of conversations and calls"},
		{everyEvent, "worktree", l, "names of work trees"},
		{"log_started", "format tool object_format", c, "the version of git-trace"},
		{"session_started session_ended", "source model type", c, "models"},
		{"session_started session_ended", "head tree", l, "commits and snapshots that were not published"},
		{"prompt_submitted", "index native chars kind", c, "numbers, kinds and lengths of prompts"},
		{"commit_anchored", "commit parents part parts revision added ai human unknown", c, publishedCommits},
		{"log_started", "head", c, publishedCommits},
		{"commit_anchored", "files files.path files.blob files.change files.runs", c, "paths and hashes of changes"},
		{"commit_anchored", "files.runs.start files.runs.count files.runs.owner files.runs.tier", c, "line numbers"},
		{"commit_anchored", "owners owners.kind owners.patch owners.trace owners.agent owners.session owners.subagent " +
			"owners.model owners.tool owners.tool_call owners.prompt owners.step owners.previous owners.evidence " +
			"owners.limits owners.candidates owners.candidates.trace owners.candidates.agent owners.candidates.session " +
			"owners.candidates.subagent owners.candidates.tool_call", c, "tools"},
		{"commit_rewritten", "kind pairs pairs.old pairs.new", c, publishedCommits},
		{"log_purged", "what removed changed objects files", c, "that something was purged"},
		{"log_purged", "traces", l, "ids of silent conversations"},
		{"record_stored", "blob generation steps redactions lifecycle", t, "versions of conversations"},
		{"record_stored", "commit", l, "commits and snapshots that were not published"},
		{"publication", "format writer level object_format events last source seen adopt records", c,
			"the number of all events"},
		{"commit", "author committer message signature", c, "your name and mail address, and when you push"},
		{"record", "schema_version trace_id session_id content_hash timestamp_start timestamp_end execution_context " +
			"lifecycle generation_index agent agent.name agent.version agent.model environment environment.os " +
			"environment.shell environment.vcs environment.vcs.type environment.language_ecosystem security security.tier " +
			"security.scanned security.flags_reviewed security.redactions_applied security.classifier_version metrics " +
			"metrics.total_steps metrics.total_input_tokens metrics.total_output_tokens metrics.total_duration_s " +
			"metrics.cache_hit_rate metrics.estimated_cost_usd metrics.total_cache_read_tokens " +
			"metrics.total_cache_creation_tokens dependencies metadata", t, "tokens and costs"},
		{"record", "task task.description task.source task.repository system_prompts tool_definitions steps " +
			"steps.step_index steps.role steps.content steps.reasoning_content steps.model steps.system_prompt_hash " +
			"steps.agent_role steps.parent_step steps.call_type steps.subagent_trajectory_ref steps.tools_available " +
			"steps.tool_calls steps.tool_calls.tool_call_id steps.tool_calls.tool_name steps.tool_calls.input " +
			"steps.tool_calls.duration_ms steps.observations steps.observations.source_call_id steps.observations.content " +
			"steps.observations.output_summary steps.observations.error steps.snippets steps.snippets.file_path " +
			"steps.snippets.start_line steps.snippets.end_line steps.snippets.language steps.snippets.text " +
			"steps.snippets.source_step steps.token_usage steps.token_usage.input_tokens steps.token_usage.output_tokens " +
			"steps.token_usage.cache_read_tokens steps.token_usage.cache_write_tokens " +
			"steps.token_usage.prefix_reuse_tokens steps.timestamp outcome outcome.success outcome.signal_source " +
			"outcome.signal_confidence outcome.description outcome.patch outcome.committed outcome.terminal_state " +
			"outcome.reward outcome.reward_source", t, "prompts, answers and calls with results, redacted"},
		{"record", "task.base_commit environment.vcs.base_commit outcome.commit_sha git_links.revision " +
			"attribution.revision", t, publishedCommits},
		{"record", "git_links git_links.vcs_type git_links.tier git_links.commit_reachable git_links.content_alive " +
			"git_links.branch environment.vcs.branch", t, "names of branches"},
		{"record", "attribution attribution.experimental attribution.files attribution.files.path " +
			"attribution.files.conversations attribution.files.conversations.contributor " +
			"attribution.files.conversations.url attribution.files.conversations.ids " +
			"attribution.files.conversations.related attribution.files.conversations.ranges " +
			"attribution.files.conversations.ranges.start_line attribution.files.conversations.ranges.end_line " +
			"attribution.files.conversations.ranges.content_hash attribution.files.conversations.ranges.confidence " +
			"attribution.files.conversations.ranges.change_type attribution.files.conversations.ranges.original " +
			"attribution.files.conversations.ranges.contributor attribution.unaccounted_files", t, "line numbers"},
		{"record", "task.repository_url git_links.repo_url", l, "addresses of remotes"},
		{"record", "environment.vcs.diff", l, "what was not committed when a conversation began"},
		{"window_opened window_closed window_abandoned",
			"tool class prompt model paths interval tree head status patches ended", l, "times of all calls"},
		{"snapshot_taken", "role scope interval tree head changed skipped", l, "hashes of the work tree"},
		{"patch_recorded", "patch interval path old_path before after old_start old_count new_start new_count " +
			"owner tool prompt evidence revises model mode kept kept.start kept.count kept.kind kept.patch kept.why kept.form " +
			"previous lines candidates candidates.trace candidates.agent candidates.session " +
			"candidates.subagent candidates.tool_call", l,
			"fingerprints of lines, what was thrown away"},
		{"turn_ended", "prompt interval tree head running", l, "times of all calls"},
		{"capture_incomplete", "boundary reason paths calls since", l, "names of all files"},
		{"capture_incomplete", "first last event", l, "numbers of events"},
		{"checkpoint_signed", "seq event commit kind key", l, "checkpoints"},
		{"outcome_noted", "outcome reward", l, "how conversations ended"},
	}
}

// `Told` returns the words for the members that leave at a level, in the order of the list.
func Told(level Level) []string {
	var out, before []string
	for _, leaf := range Leaves() {
		switch {
		case level.Wider(leaf.Level):
			before = append(before, leaf.What)
		case leaf.Level == level && !slices.Contains(out, leaf.What):
			out = append(out, leaf.What)
		}
	}
	return slices.DeleteFunc(out, func(what string) bool { return slices.Contains(before, what) })
}

// members returns the members of a type's data that a digest has.
func members(of events.Type) map[string]bool {
	out := map[string]bool{}
	for _, leaf := range Leaves() {
		if leaf.Level == LevelLog || !slices.Contains(strings.Fields(leaf.Of), string(of)) {
			continue
		}
		for name := range strings.FieldsSeq(leaf.Members) {
			out[name] = true
		}
	}
	return out
}

// recordMembers returns the members of a record that leave at a level, as dotted names, and the ones among them that
// name commits.
func recordMembers(level Level) (may, commits map[string]bool) {
	may, commits = map[string]bool{}, map[string]bool{}
	for _, leaf := range Leaves() {
		if leaf.Of != "record" || leaf.Level.Wider(level) {
			continue
		}
		for name := range strings.FieldsSeq(leaf.Members) {
			may[name] = true
			commits[name] = leaf.What == publishedCommits
			if at := strings.LastIndexByte(name, '.'); at > 0 {
				may[name[:at+1]] = true
			}
		}
	}
	return may, commits
}

// `listed` keeps the members of an event's data that are on the list. Unreadable data keeps none.
func listed(of events.Type, data json.RawMessage) json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return json.RawMessage("{}")
	}
	may, kept := members(of), len(all)
	for name := range all {
		if !may[name] {
			delete(all, name)
		}
	}
	if len(all) == kept {
		return data
	}
	raw, err := json.Marshal(all)
	if err == nil {
		raw, err = events.Canonical(raw)
	}
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}
