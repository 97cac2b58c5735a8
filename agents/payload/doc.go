// Package payload reads foreign data safely, for the decoders of all agents. It gives a payload as UTF-8, whatever
// byte order mark it has. It checks ids that may become part of a path, and paths that may be opened. And it finds
// the paths that a command line mentions.
//
// Payloads come from other programs and, through them, from models and from file contents. So there is a limit on
// every size, and nothing is trusted to be well formed. Invalid data are dropped or reported, never repaired into
// valid ones.
//
// The package does not know any agent's format.
package payload
