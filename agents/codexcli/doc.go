// Package codexcli knows Codex CLI: what its hooks send, where they are installed and what they wait for, what its
// session files contain, and where it keeps them.
//
// The package relies on these facts, measured with the hooks of the client (0.169.0):
//
//   - Hooks are synchronous and have the shape of Claude Code's. A command is reported as the tool "Bash" with its
//     command line, a patch as "apply_patch" with its text; its paths may be relative to the current directory.
//   - In code mode the model writes JavaScript; hooks fire for each call within it, with an id of its own ("exec-…") by
//     which the session file names what the call did.
//   - There is no after-hook for a patch that failed, a call that was blocked, or `apply_patch <<EOF` run through the
//     shell. Nor is there one for a command that is still running at the end of the turn. A command that outlasts its
//     call reports back later, under the same id, while other calls have come and gone.
//   - Inside a sub-agent session_id is the root's; agent_id distinguishes the sub-agents, transcript_path is the
//     sub-agent's own.
//   - A hook runs only after its user allowed it (see trust.go), and hooks of a project only in a project that is
//     trusted.
//
// Of a hook's payload nothing leaves the package but the declared texts of patches, the prompt, ids and paths; command
// lines are searched for paths and dropped.
//
// A session is a rollout, $CODEX_HOME/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl, a line for everything that goes to
// the model or comes from it and for the events around it. Many facts are written twice, once as the model's item and
// once as an event. The items are read; events are read only for facts that items do not have: the changes of a patch,
// the exit of a command, the tokens of an answer, the subagent that a call started. A file that only has items, as old
// versions and shortened ones do, gives the same conversation with less of that.
//
// Facts in the record of another session are not counted again: a fork of versions that copied the history skips the
// copies when the other rollout is there. The rollout of the parent reports the rollout of a subagent.
package codexcli
