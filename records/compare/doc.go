// Package compare compares two conversations: it finds the actions that both have, in the same or in other words, and
// the places where they differ.
//
// An action is a call of a tool, the use of a skill or the run of a hook. Its key is its effect, not its text: for a
// shell the command without superfluous blanks, for an edit the removed and the added lines, for a search its pattern
// and place. The rules are the contract of Claude Code Parity, version 1.23; if its rule needs the file before an edit,
// the lines of the edit replace it.
//
// Prompts are compared in their order, and the actions after each prompt by their longest common sequence. Steps of
// sub-agents belong to the call that started them, and are left out.
package compare
