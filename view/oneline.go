package view

// OneLine names a variable of the environment. Where it is set, answers in JSON have no line breaks: git-trace-serve
// reads them itself.
const OneLine = "GIT_TRACE_ONE_LINE"

// Unasked names a variable of the environment. Where it is set, no person typed the command: git-trace-serve asks, or
// the completion of a shell. Its value says who that is.
const Unasked = "GIT_TRACE_UNASKED"

// Who asks in the place of a person. A repository may be a stranger's, and what its configuration names is started
// neither for an editor's hints nor for an agent or a shell's completion, and for pages only where the repository is
// on the user's list. An editor asks of each file that is looked at: it has an answer in repositories that are on the
// list, and in those that have traces without, as a pull brings them.
const (
	ByEditor = "editor"
	ByAgent  = "agent"
	ByPage   = "page"
)
