// Package pi knows the Pi coding agent: the extension that reports what it does, what that extension sends, what its
// session files contain, and where it keeps them.
//
// Pi has no hooks that start programs; it loads extensions into its own process. git-trace's extension is one file
// (extension.ts), which starts `git-trace hook pi EVENT` for each event that matters and waits for it, at most three
// seconds. It never throws: an exception in a handler of tool_call would keep the tool from running.
//
// The package relies on these facts, measured with the client (0.87.1 under @earendil-works, 0.73.1 under
// @mariozechner):
//
//   - Handlers are awaited. Of parallel calls all tool_call handlers run first, one after the other; then all tools
//     start together and end in any order.
//   - A call that is blocked, by a handler or because the tool is not known, has no tool_result; tool_execution_end
//     comes for every call. After a signal nothing comes, and a shell that runs goes on and writes.
//   - An extension of the project is loaded only where Pi is started at the top of the project. In newer versions it is
//     loaded only when the project is trusted, too. One of the user's is loaded always.
//
// A session is one file, <agent directory>/sessions/--<directory>--/<time>_<id>.jsonl: a header, then entries that
// form a tree by id and parentId; entries of the first version have no ids and follow one another. An answer of the
// model is one entry, a result of a call another.
//
// Branches that the user left are included, in the file's order: their calls did write files. Where a branch begins is
// in the metadata. A fork begins with copies of the other session's entries; they are skipped where that session's file
// is there.
package pi
