// Package rawjson reads JSON without decoding all of it. Session files have hundreds of megabytes of strings, and a
// reader needs only a few of them; encoding/json decodes or checks all.
//
// [Decoder] reads a text once, member by member, and skips everything that the caller does not request.
// [AppendCanonical] rewrites a text in the canonical form that is hashed for the content hash of a record.
//
// Promises:
//
//   - Every text that encoding/json accepts is accepted, with the same strings and numbers, unless it is nested too
//     deeply.
//   - Braces, brackets, colons, commas, quotes, literals and numbers are checked. So a broken line, or two lines in
//     one, are reported at the byte where the fault is. Two things are accepted although RFC 8259 forbids them: control
//     characters and unknown escapes in strings.
//   - Nothing panics, and nesting is limited to [MaxDepth] levels.
//
// A value of an unexpected kind is skipped and returned as the zero value. The formats of other programs change, and
// one changed member must not lose the rest.
package rawjson
