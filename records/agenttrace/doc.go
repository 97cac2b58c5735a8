// Package agenttrace reads and writes records of the Agent Trace specification, version 0.1.0: the conversation that
// wrote each line in the files of one revision.
//
// A record is made from the owners of a commit ([FromCommit]): its positions are valid at a revision that exists. Or it
// is made from one conversation ([FromRecord]): it names a revision only if the conversation does. It is read back as
// lines of a commit ([Record.Commit]), or as a conversation with only lines ([Record.Conversation]).
//
// Reading accepts the deviations of known writers: paths with backslashes or a root, false URLs, content hashes of any
// algorithm, and the flat rows and nested records of some versions of opentraces. A content hash that can be checked is
// evidence; another one is not.
package agenttrace

// Name is the name of the format on the command line.
const Name = "agent-trace"

// Version is the version of the specification that is written.
const Version = "0.1.0"
