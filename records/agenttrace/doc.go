// Package agenttrace reads and writes records of the Agent Trace specification, version 0.1.0. They name, for each line
// in the files of one revision, the conversation that wrote it.
//
// A record can be made from the owners of a commit ([FromCommit]): its line numbers are valid at that commit. It can
// also be made from a conversation ([FromRecord]): it names a revision only if the conversation does. It is read as
// lines of a commit ([Record.Commit]), or as a conversation with only lines ([Record.Conversation]).
//
// Reading accepts the deviations of known writers: paths with backslashes or a root, invalid URLs, content hashes of
// any algorithm, and the flat rows and nested records of some opentraces versions. A content hash is evidence only if
// it can be checked.
package agenttrace

// Name is the name of the format on the command line.
const Name = "agent-trace"

// Version is the version of the specification that this package writes.
const Version = "0.1.0"
