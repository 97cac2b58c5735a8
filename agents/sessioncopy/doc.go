// Package sessioncopy writes the beginning of a session file as a new session, from which a client can continue.
//
// It promises:
//
//   - The original file is only read. The copy is a new file: it has another name until it is complete, and replaces
//     nothing.
//   - Every line is decoded and rewritten. A line that is not a JSON object is left out.
//   - Texts that name the conversation's directory name the new directory in the copy, so that the client works there.
//     Data signed by a model's provider is copied byte for byte.
//
// It does not promise that a client accepts the copy; tests check this with the real clients.
package sessioncopy
