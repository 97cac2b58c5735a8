package view

// OneLine names a variable of the environment. Where it is set, answers in JSON have no line breaks: git-trace-serve
// reads them itself.
const OneLine = "GIT_TRACE_ONE_LINE"
