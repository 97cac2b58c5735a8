// Package transcript opens an agent's session file. Lines reads it from its end, line by line, backwards; From reads it
// forwards.
//
// The path of a session file comes from a hook's payload. So the file is opened without blocking, and read only if it
// is a regular file. Lines reads only as far back as the caller allows. The file may grow during reading. A last line
// without a newline is returned as it is; if it is torn, the caller's JSON decoder rejects it.
package transcript
