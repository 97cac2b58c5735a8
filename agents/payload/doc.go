// Package payload holds what the decoders of all agents need to read foreign data safely. It gives a payload as UTF-8,
// whatever byte order mark it has. It checks ids that may become part of a path, and paths that may be opened. And it
// finds the paths that a command line mentions.
//
// Payloads come from other programs and, through them, from models and from file contents. So there is a limit on every
// size, and nothing is trusted to be well formed. What does not fit is dropped or reported, never repaired into
// something that looks valid.
//
// The package does not know any agent's format.
package payload
