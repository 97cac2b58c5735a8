// Package payload reads untrusted data safely, for the decoders of all agents. It converts a payload to UTF-8, whatever
// byte order mark it has. It checks ids that may become part of a path, and paths that may be opened. It also finds the
// paths in a command line.
//
// Payloads come from other programs and, through them, from models and file contents. So every size has a limit, and no
// data is assumed to be well formed. Invalid data is dropped or reported, and never repaired.
//
// The package contains no agent's format.
package payload
