// Package hookfile edits settings files with hook entries, in the form that Claude Code introduced and other agents
// adopted:
//
//	{"hooks": {"EVENT": [{"matcher": "*", "hooks": [{"type": "command", "command": "…", "timeout": 10}]}]}}
//
// and in the form of Cursor and Windsurf, where the handlers are directly in the event's list: {"version": 1, "hooks":
// {"EVENT": [{"command": "…"}]}}.
//
// The file belongs to the user and to other tools. So it is never decoded and rewritten: an edit inserts or deletes
// text and keeps every other byte, including order, indentation, unknown keys and line ends. The edits are pure
// functions of the file's content; the caller reads and writes the file.
//
// Tests and a fuzz target check two properties, for every valid document without git-trace's entries:
//
//   - A second Install changes nothing.
//   - Remove after Install returns the original document, byte for byte.
//
// The second property needs no record of the original. If a container (a file, an object, an array) is missing, Install
// writes its content on separate lines. If it is empty, Install writes the content directly after the opening bracket.
// If Remove empties a container, it deletes the container in the first case and keeps it in the second.
//
// Comments are kept; the caller knows whether the agent accepts them (Strict). The caller decides which entries belong
// to git-trace, by their command lines.
package hookfile
