// Package show collects what is known of one object and draws it: a conversation, a prompt, a step, a call, a patch, a
// commit, an event, a line with its reasons, what became of a change, a list of conversations.
//
// A Viewer asks package view. An object has up to three forms: text for a terminal, Markdown, and an answer for
// programs. All foreign text is made safe before it is drawn. Nothing here writes to the repository.
package show
