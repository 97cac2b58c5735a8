// Package hookfile edits settings files with hook entries in the form that Claude Code introduced and others took over:
//
//	{"hooks": {"EVENT": [{"matcher": "*", "hooks": [{"type": "command", "command": "…", "timeout": 10}]}]}}
//
// and in the form of Cursor and Windsurf, which have the handlers in the list of the event: {"version": 1, "hooks":
// {"EVENT": [{"command": "…"}]}}.
//
// The file belongs to the user and to other tools. So it is never decoded and rewritten: an edit inserts or deletes
// text and leaves every other byte, with its order, indentation, unknown keys and line ends. The edits are pure
// functions of the file's content; reading and writing are the caller's.
//
// Two properties are held by tests and a fuzz target, for every valid document without our entries:
//
//   - Install applied twice is Install applied once.
//   - Remove after Install gives back the document, byte for byte.
//
// The second needs no record of what was there. Where a container (a file, an object, an array) was missing, Install
// writes its content on lines of its own; where it was empty, the content goes directly after the opening bracket.
// Remove deletes a container that it empties in the first case and keeps it in the second.
//
// Comments are kept; whether the agent reads them, the caller knows (Strict). The package does not decide which entries
// are ours: the caller decides that by the command line.
package hookfile
