// Package sessionfile holds what the session files of several agents have in common. It holds where they are looked
// for, and how a file of JSON lines is read into a conversation. Reading starts at the file's beginning, or where an
// earlier reading ended.
//
// A parser of such a file implements [Format]: it takes one line after the other and says what must be known of them to
// go on with the next. Everything else is done here: the limits, the counts of what could not be read, the cursor and
// whether it still fits the file.
package sessionfile
