// Package compare compares two conversations: it finds equivalent actions, even in other words, and the differences.
//
// An action is a tool call, the use of a skill or the run of a hook. The key of an action describes its effect and not
// its text: for a shell the command with single spaces, for an edit the removed and added lines, for a search its
// pattern and place. The rules are those of the contract of Claude Code Parity, version 1.23. If its rule needs the
// file before an edit, the lines of the edit are used instead.
//
// Prompts are compared in order, and the actions after each prompt by their longest common subsequence. Steps of
// subagents belong to the call that started them, and are left out.
package compare
