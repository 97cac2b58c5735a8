// Package process reads the system's data about the processes that may write for an agent: whether the agent's process
// is running, the processes that it started and left running, and the bytes that they wrote.
//
// A process is identified by its number, its start time and the boot of the system (ID). So a process with a reused
// number is never taken for the earlier one. Nothing is guessed: if the system does not show a state, as from another
// PID name space, it is Unknown.
//
// Linux shows everything, in proc(5). macOS shows the running processes and their parents, but not their environment or
// their written bytes. On other systems the package finds nothing.
//
// These processes do not count as the agent's: processes that git-trace itself started (own.go), the agent's other
// hooks, and processes that serve other programs elsewhere, such as the daemon of a build.
//
// The package relies on these facts about Linux, which were found by experiment. wchar in /proc/PID/io counts the bytes
// of write(2) and similar calls, to files, pipes and terminals alike. It includes the bytes of children that have ended
// and were waited for. If a process lost its parent, its bytes are lost when it ends. Bytes that are written through a
// mapped file are not counted, and a rename writes no bytes.
package process
