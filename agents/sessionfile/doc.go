// Package sessionfile holds the common parts of several agents' session files: the search for them, and reading a file
// of JSON lines into a conversation. Reading starts at the file's beginning, or where an earlier reading ended.
//
// A parser of such a file implements [Format]: it takes one line after the other and returns the facts that it needs to
// continue with the next. Everything else is done here: the limits, the counts of unreadable parts, the cursor and
// whether it still fits the file.
package sessionfile
