// Package language returns the language of a file from the file's name alone. It opens no file, so deleted files and
// files of other machines have a language too.
//
// There is one table. Its names are used in statistics; records have them in lower case, as their schema requires. If
// several languages use an ending (".h", ".m", ".pl"), the name lists all of them.
package language
