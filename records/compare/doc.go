// Package compare holds two conversations against each other: which actions of one the other did too, in the same or
// in other words, and where it drifted.
//
// An action is a call of a tool, the use of a skill or the run of a hook. Its key is what it does, and not how it is
// written: of a shell the command without superfluous blanks, of an edit the lines that it takes away and puts in, of
// a search its pattern and place. The rules are those of the contract of Claude Code Parity, version 1.23; where its
// rule needs the file before an edit, the lines of the edit stand for it.
//
// Prompts are compared in their order, and the actions behind each prompt by their longest common sequence. Steps of
// sub-agents belong to the call that started them, and are left out.
package compare
