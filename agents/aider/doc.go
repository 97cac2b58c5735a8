// Package aider reads the chat history that Aider keeps in a repository.
//
// Aider has no hooks. It appends every conversation of a work tree to one file at its top, .aider.chat.history.md, as
// Markdown that is made for people. A heading begins a conversation. "#### " is before each line of a prompt, and "> "
// before each line of Aider itself. Text without a mark is the model's answer. A conversation's id here is the time in
// its heading.
//
// What the file contains, and what it does not:
//
//   - Edits are in the answers, in the form that Aider asked the model to use. One counts as done when "Applied edit to
//     FILE" follows. Its lines are known, their numbers are not.
//   - Aider commits what it edited and writes "Commit HASH message". Before that it commits what a person had
//     changed in the same files. So the commit holds the edits of that answer and nothing else; the record says so.
//   - Tokens are rounded from 1,000 on. Those that were sent include what the cache gave and took.
//   - Times are of the writer's clock without its zone, and only the heading has one.
//   - What a command printed is not in the file. Where the user kept it from the model, the command ran all the same.
package aider
