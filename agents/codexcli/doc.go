// Package codexcli supports Codex CLI: the payloads and the installation of its hooks, the conditions under which they
// run, and the content and location of its session files.
//
// The package relies on these facts, which were measured with the client (0.169.0):
//
//   - Hooks are synchronous and have the form of Claude Code's hooks. A command is reported as the tool "Bash" with its
//     command line, a patch as "apply_patch" with its text; paths may be relative to the current directory.
//   - In code mode, the model writes JavaScript. Hooks run for each call in the program, with a separate id ("exec-…"),
//     which the session file also uses for the call's effects.
//   - There is no after-hook for a patch that failed, a call that was blocked, or `apply_patch <<EOF` in the shell.
//     There is none either for a command that still runs at the end of the turn. A command that outlives its call
//     reports later, under the same id, after other calls have started and ended.
//   - In a subagent, session_id is the id of the main session, agent_id identifies the subagent, and transcript_path is
//     the subagent's own file.
//   - A hook runs only after the user allowed it (see trust.go), and a project's hooks run only in a trusted project.
//
// From a hook's payload, the package passes on only the declared texts of patches, the prompt, ids and paths; command
// lines are searched for paths and dropped.
//
// A session is a rollout: $CODEX_HOME/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl. It has a line for everything that
// the model receives or sends, and for the events around it. Many facts are written twice: as an item of the model and
// as an event. The items are read. Events are read only for facts that items lack: the changes of a patch, the exit
// code of a command, the tokens of an answer, the subagent that a call started. A file that has only items, such as an
// old or shortened one, gives the same conversation with fewer of these facts.
//
// Facts in the record of another session are not counted again: if a fork has copies of the other session's history and
// the other rollout exists, the copies are skipped. The rollout of a subagent becomes part of the parent's record.
package codexcli
