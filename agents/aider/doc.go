// Package aider reads the chat history that Aider stores in a repository.
//
// Aider has no hooks. It appends every conversation of a work tree to one file in the root, .aider.chat.history.md, as
// Markdown for people. A heading begins a conversation. Each line of a prompt begins with "#### ", and each line of
// Aider itself with "> ". Text without such a mark is the model's answer. A conversation's id is the time in its
// heading.
//
// What the file contains, and what it lacks:
//
//   - Edits are in the answers, in the form that Aider requested from the model. An edit counts as made if "Applied
//     edit to FILE" follows. Its lines are known, but not their numbers.
//   - Aider commits its edits and writes "Commit HASH message". Before that, it commits a person's changes in the same
//     files. So the commit contains only the edits of that answer, and the record says so.
//   - Token counts are rounded from 1,000 on. The number of sent tokens includes cache reads and writes.
//   - Times are by the writer's clock without a zone, and only the heading has one.
//   - The file does not contain the output of commands. A command was run even if the user did not show its output to
//     the model.
package aider
