// Package language names the language of a file by its name alone. It opens no file, so a deleted file, or a file of
// another machine, has a language too.
//
// There is one table. The figures of stats show its names; records have the same in lower case, as in their schema. For
// an ending that several languages use (".h", ".m", ".pl"), the name lists all of them.
package language
