// Package geminiform reads the common forms of Gemini CLI and Qwen Code, which comes from it: messages of parts,
// calls and their responses, and the notes of the tools that write files.
package geminiform
