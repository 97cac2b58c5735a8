// Package agenttrace reads and writes records of the Agent Trace specification, version 0.1.0: the conversation behind
// each line of the files of one revision.
//
// A record is made of what is known of a commit ([FromCommit]): its positions hold at a revision that exists. Or it
// is made of one conversation ([FromRecord]): it names a revision only if the conversation does. It is read back as
// lines of a commit ([Record.Commit]), or as a conversation with lines alone ([Record.Conversation]).
//
// Reading is lenient where writers in the wild are. It takes paths with backslashes or a root before them, URLs that
// are none, and content hashes of any algorithm. It also takes the flat rows and the nested records that versions of
// opentraces write. A content hash that can be checked is evidence; one that cannot says nothing.
package agenttrace

// Name is the name of the format on the command line.
const Name = "agent-trace"

// Version is the version of the specification that is written.
const Version = "0.1.0"
