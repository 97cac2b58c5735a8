// Package capability defines a coding agent by small interfaces. An agent's package implements the interfaces that the
// agent's features allow.
//
// An agent with hooks has a PayloadDecoder and a HookInstaller; an agent with known session files has a
// SessionParser, a SessionDiscoverer and a SessionIdentifier. A nil field of Agent means that the agent does not
// have the capability, and callers say so instead of guessing.
//
// Every implementation promises:
//
//   - Everything an agent sends is foreign data. Decoding never panics and never keeps a command line. It follows a
//     path that the data names only to read the end of a regular file.
//   - Nothing is read from the process environment or the home directory except through Env, at the time of the call.
//   - An installer validates before it writes, and writes atomically. It keeps what others wrote byte for byte, and
//     does nothing when run twice. On removal it leaves what it found.
package capability
