// Package capability defines a coding agent by small interfaces. An agent's package implements the interfaces that the
// agent's features allow.
//
// An agent with hooks has a PayloadDecoder and a HookInstaller. An agent with known session files has a SessionParser,
// a SessionDiscoverer and a SessionIdentifier. A nil field of Agent means that the agent lacks the capability; callers
// report this and do not guess.
//
// Every implementation promises:
//
//   - All data from an agent is untrusted. Decoding never panics and never keeps a command line. A path in the data is
//     used only to read the end of a regular file.
//   - The process environment and the home directory are read only through Env, at the time of the call.
//   - An installer validates before it writes, and writes atomically. It keeps the entries of others byte for byte, and
//     a second run changes nothing. Removal keeps everything that existed before the installation.
package capability
