// Package language names the language of a file by its name alone. No file is opened, so a file that is gone, or of
// another machine, has a language too.
//
// There is one table. The figures of stats show its names; records have the same in lower case, since that is the form
// of their schema. An end that several languages use (".h", ".m", ".pl") has all of them in its name.
package language
