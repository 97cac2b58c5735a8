// Package pi supports the Pi coding agent: the extension that reports its actions, the extension's messages, and the
// content and location of its session files.
//
// Pi has no hooks that start programs, but loads extensions into its own process. git-trace's extension is one file
// (extension.ts). For each relevant event, it runs `git-trace hook pi EVENT` and waits for it, at most three seconds.
// It never throws, because an exception in a handler of tool_call would prevent the tool from running.
//
// The package relies on these facts, which were measured with the client (0.87.1 under @earendil-works, 0.73.1 under
// @mariozechner):
//
//   - Pi waits for handlers. For parallel calls, all tool_call handlers run first, one after the other; then all tools
//     start together and end in any order.
//   - A call that is blocked, by a handler or because the tool is unknown, has no tool_result; tool_execution_end comes
//     for every call. After a signal no event comes, and a running shell continues to run and write.
//   - A project's extension is loaded only if Pi is started in the root of the project. Newer versions also require
//     that the project is trusted. A user's extension is always loaded.
//
// A session is one file, <agent directory>/sessions/--<directory>--/<time>_<id>.jsonl: a header, then entries that form
// a tree by id and parentId. In the first version, entries have no ids and follow one another. An answer of the model
// is one entry, and each result of a call is another.
//
// Branches that the user left are included in the file's order, because their calls wrote files. The metadata have the
// start of each branch. A fork begins with copies of the other session's entries; they are skipped if that session's
// file exists.
package pi
