// Package geminihooks has the common parts for Gemini CLI and its fork Qwen Code: the tools and their reports, the
// folders that the user trusts, and the model in a session file.
package geminihooks
