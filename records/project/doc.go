// Package project gathers what a conversation tells of the project it was about: the languages of the files that it
// read and wrote, and the dependencies that it installed or saw in a manifest.
//
// It looks at paths, command lines and file contents that are given to it and at nothing else: no file is opened, so
// a session that was recorded elsewhere, years ago, gives the same answer. It finds the parts that were touched, not
// the whole project.
//
// [Facts] collects; [Language] names the language of one path.
package project
