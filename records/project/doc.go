// Package project collects a conversation's facts about its project: the languages of the files that it read and wrote,
// and the dependencies that it installed or saw in a manifest.
//
// It uses only the given paths, command lines and file contents, and opens no file. So the result is the same for an
// old session from another machine. It knows only the parts of the project that were touched.
//
// [Facts] collects the facts; [Language] returns the language of a path.
package project
