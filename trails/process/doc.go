// Package process says what the system knows of the processes that may write for an agent: which one the agent is,
// whether it lives, what it started and left behind, and how many bytes that wrote.
//
// A process is named by its number, its start and the run of the system (ID). So a number that was given away again is
// never taken for its earlier process. Nothing is guessed: what the system does not tell, as from within another name
// space of process numbers, is Unknown.
//
// Linux tells everything, by proc(5). macOS tells which processes live and which started them, but neither their
// environment nor what they wrote. Other systems tell nothing here.
//
// None of the agent's is what git-trace itself started (own.go), what the agent runs as hooks beside ours, and what
// works for others elsewhere, such as the daemon of a build.
//
// What is relied on of Linux, as found by trying: wchar of /proc/PID/io counts the bytes of write(2) and its kin, to
// files, pipes and terminals alike. It includes what children wrote that have ended and were waited for. What a process
// wrote that lost its parent and ended is lost with it. Bytes that are written through a mapping of a file are not
// counted, and a rename writes none.
package process
