// Package reftable reads the tables in which git stores refs and reflogs with extensions.refStorage=reftable. It
// follows git's own specification of the format, versions 1 and 2 (Documentation/technical/reftable in git's source).
//
// Git keeps a stack of tables in a directory. The file tables.list has their names, oldest first. A listed table never
// changes. The value in a newer table replaces the value for the same ref or reflog entry in an older table. Each
// change adds a table, and git sometimes merges tables. So a listed table may be missing when it is opened: then the
// list is read again.
//
// The package only reads, and only the parts that it needs: the indexes of a table lead to the block of a name. Git
// writes the tables (git-update-ref(1)), because it takes the locks and merges them. Data that the specification does
// not describe give ErrUnsupported, and data that contradict it give ErrCorrupt. No content causes a panic, and lengths
// in the file are limited by the largest block of the format.
package reftable
