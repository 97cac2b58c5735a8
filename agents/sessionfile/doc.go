// Package sessionfile has the common parts for several agents' session files: it finds them, and reads a file of JSON
// lines into a conversation. Reading starts at the file's beginning, or where an earlier reading ended.
//
// A parser of such a file implements [Format]: it handles one line after another, and returns the data that it needs to
// continue with the next line. This package does the rest: the limits, the counts of unreadable parts, the cursor and
// the check whether it still matches the file.
package sessionfile
