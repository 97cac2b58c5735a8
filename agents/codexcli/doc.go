// Package codexcli knows Codex CLI: what its hooks send, where they are installed and what they wait for, what stands
// in its session files, and where it keeps them.
//
// What was measured with the hooks of the client (0.169.0) and is relied on:
//
//   - Hooks are synchronous and have the shape of Claude Code's. A command is reported as the tool "Bash" with its
//     command line, a patch as "apply_patch" with its text; its paths may be relative to the current directory.
//   - In code mode the model writes JavaScript; hooks fire for each call within it, with an id of its own ("exec-…") by
//     which the session file names what the call did.
//   - There is no after-hook for a patch that failed, a call that was blocked, or `apply_patch <<EOF` run through the
//     shell. Nor is there one for a command that is still running at the end of the turn. A command that outlasts its
//     call reports back later, under the same id, while other calls have come and gone.
//   - Inside a sub-agent session_id is the root's; agent_id tells the sub-agents apart, transcript_path is the
//     sub-agent's own.
//   - A hook runs only after its user allowed it (see trust.go), and hooks of a project only in a project that is
//     trusted.
//
// Of a hook's payload nothing leaves the package but the declared texts of patches, the prompt, ids and paths; command
// lines are searched for paths and dropped.
//
// A session is a rollout, $CODEX_HOME/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl, a line for everything that goes to
// the model or comes from it and for the events around it. Many things are told twice, once as the model's item and
// once as an event; the items are what is read, the events only for what items do not say: the changes of a patch, the
// exit of a command, the tokens of an answer, the subagent that a call started. A file that only has items, as old
// versions and shortened ones do, gives the same conversation with less of that.
//
// What is told in the record of another session is not told again: a fork of versions that copied the history skips the
// copies when the other rollout is there. The rollout of a subagent is told in that of its parent.
package codexcli
