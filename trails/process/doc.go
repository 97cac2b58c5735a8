// Package process reads the system's data about the processes that may write for an agent: the agent's process, whether
// it lives, the processes that it started and left running, and the bytes that they wrote.
//
// A process is named by its number, its start and the run of the system (ID). So a number that the system used again is
// never taken for its earlier process. Nothing is guessed: a state that the system does not show, as from within
// another name space of process numbers, is Unknown.
//
// Linux shows everything, by proc(5). macOS shows the living processes and their parents, but not their environment or
// their written bytes. Other systems show nothing here.
//
// These do not count as the agent's: processes that git-trace itself started (own.go), the agent's other hooks, and
// processes that work for others elsewhere, such as the daemon of a build.
//
// The package relies on these facts about Linux, found by experiment: wchar of /proc/PID/io counts the bytes of
// write(2) and its kin, to files, pipes and terminals alike. It includes the bytes of children that have ended and were
// waited for. The bytes of a process that lost its parent are lost when it ends. Bytes that are written through a
// mapping of a file are not counted, and a rename writes none.
package process
