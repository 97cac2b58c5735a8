package view

// OneLine names an environment variable. If it is set, answers in JSON have no line breaks, because git-trace-serve
// reads them.
const OneLine = "GIT_TRACE_ONE_LINE"

// Unasked names an environment variable. If it is set, a program runs the command and not a person: git-trace-serve, or
// the completion of a shell. Its value names the program.
const Unasked = "GIT_TRACE_UNASKED"

// The programs that run commands for a person. A repository may be a stranger's. Programs named in its configuration
// are not started for an editor's hints, an agent or a shell's completion. For pages they are started only if the
// repository is on the user's list. An editor asks about every open file: it gets an answer in repositories on the
// list, and in others with traces, for example from a pull.
const (
	ByEditor = "editor"
	ByAgent  = "agent"
	ByPage   = "page"
)
