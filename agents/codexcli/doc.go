// Package codexcli knows Codex CLI: what stands in its session files, and where it keeps them.
//
// A session is a rollout, $CODEX_HOME/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl, a line for everything that goes to the
// model or comes from it and for the events around it. Many things are told twice, once as the model's item and once as an
// event; the items are what is read, the events only for what items do not say: the changes of a patch, the exit of a
// command, the tokens of an answer, the subagent that a call started. A file that only has items, as old versions and
// shortened ones do, gives the same conversation with less of that.
//
// What is told in the record of another session is not told again: a fork of versions that copied the history skips the
// copies when the other rollout is there, and the rollout of a subagent is told in that of its parent.
package codexcli
