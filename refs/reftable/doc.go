// Package reftable reads the tables in which git keeps refs and reflogs under extensions.refStorage=reftable. It goes
// by git's own specification of the format, versions 1 and 2 (Documentation/technical/reftable in git's source).
//
// Git keeps a stack of tables in a directory, and in the file tables.list their names, the oldest first. A table never
// changes once it is listed; what a newer one says of a ref or of an entry of a reflog hides what the older ones say. A
// change adds a table, and git joins tables now and then, so a listed one may be gone by the time it is opened: then
// the list is read again.
//
// The package only reads, and it reads only what is asked for: a table's indexes lead to the block of a name. Writing
// is git's (git-update-ref(1)), which takes the locks and joins the tables. What the specification does not know is
// ErrUnsupported, what contradicts it ErrCorrupt; there is no panic on any content, and no length of the file is
// believed beyond the largest block that the format allows.
package reftable
