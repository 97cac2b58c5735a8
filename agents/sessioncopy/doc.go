// Package sessioncopy writes the beginning of a session file as a session of its own, for the clients that continue
// from it.
//
// It promises:
//
//   - The other file is only read. The copy is new: it lies under another name until it is whole, and replaces nothing.
//   - Every line is decoded and rewritten. A line that is not a JSON object is left out.
//   - Texts that name the directory of the conversation name the new one afterwards, so that the client works there.
//     Data that the provider of a model has signed stay byte for byte.
//
// It does not promise that a client takes the copy: tests play that with the real clients.
package sessioncopy
