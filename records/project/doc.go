// Package project gathers a conversation's facts about its project: the languages of the files that it read and wrote,
// and the dependencies that it installed or saw in a manifest.
//
// It looks only at the given paths, command lines and file contents, and opens no file. So a session from another
// machine, years ago, gives the same answer. It finds the parts that were touched, not the whole project.
//
// [Facts] collects; [Language] names the language of one path.
package project
