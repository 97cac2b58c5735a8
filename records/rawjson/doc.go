// Package rawjson walks JSON text without building it: session files are hundreds of megabytes of strings, and a
// reader wants a few of them; encoding/json decodes or checks all of them.
//
// [Decoder] goes through a text once, member by member; what the caller does not ask for is skipped. [AppendCanonical]
// writes a text again in the one form over which the content hash of a record is computed.
//
// Promises:
//
//   - A text that encoding/json accepts is accepted, with the same strings and numbers.
//   - Braces, brackets, colons, commas, quotes, literals and numbers are checked. So a broken or glued line is noticed
//     at the place where it breaks. Two things that RFC 8259 forbids are accepted: control characters in strings, and
//     unknown escapes in strings that the caller does not read.
//   - Nothing panics, and nesting is limited ([MaxDepth]).
//
// A value of another kind than the one asked for is skipped and gives the zero value: foreign formats change, and one
// member that did is not a reason to lose the rest.
package rawjson
