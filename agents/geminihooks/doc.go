// Package geminihooks holds the parts that Gemini CLI and Qwen Code, which grew out of it, have in common: the
// tools and their reports, the folders that the user trusts, and the model in a session file.
package geminihooks
