// Package lookup finds the object that a person means by an id: a conversation, a prompt, a step, a tool call, a patch,
// a commit or an event.
//
// An id may be abbreviated. If it has several meanings, the error lists them; if it has none, the hint names the
// nearest one. The printed abbreviations of this package are always accepted.
package lookup
