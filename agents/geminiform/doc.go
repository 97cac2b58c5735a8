// Package geminiform reads the forms that Gemini CLI and its fork Qwen Code have in common: messages of parts, calls
// and their responses, and the notes of the tools that write files.
package geminiform
