// Package geminihooks holds the common parts of Gemini CLI and Qwen Code, which began as a fork of it: the tools and
// their reports, the folders that the user trusts, and the model in a session file.
package geminihooks
