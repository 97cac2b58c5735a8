// Package geminiform reads what Gemini CLI and Qwen Code, which comes from it, write alike: messages that consist of
// parts, calls and their responses, and what the tools that write files note of their work.
package geminiform
