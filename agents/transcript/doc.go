// Package transcript reads the end of an agent's session file, line by line from the last one backwards.
//
// The path of a session file comes from a hook's payload. So it is opened without blocking, and read only if it is a
// regular file. It is never read in full, and only as far back as the caller allows. The file may grow while it is
// read: a last line without its newline is given as it stands, and the caller's JSON decoder refuses it if it is torn.
package transcript
