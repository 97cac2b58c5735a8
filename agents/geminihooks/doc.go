// Package geminihooks holds what Gemini CLI has in common with Qwen Code, which grew out of it: the tools and what they
// report, the folders that the user trusts, and the model that a session file names.
package geminihooks
