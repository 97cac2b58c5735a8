// Package transcript reads an agent's session file from its end, line by line, backwards.
//
// The path of a session file comes from a hook's payload. So the file is opened without blocking, and read only if it
// is a regular file. It is never read in full, but only as far back as the caller allows. The file may grow during
// reading. A last line without a newline is returned as it is; if it is torn, the caller's JSON decoder rejects it.
package transcript
