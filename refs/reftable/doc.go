// Package reftable reads the tables in which git keeps refs and reflogs under extensions.refStorage=reftable. It
// follows git's own specification of the format, versions 1 and 2 (Documentation/technical/reftable in git's source).
//
// Git keeps a stack of tables in a directory, and their names in the file tables.list, the oldest first. A table never
// changes once it is listed; a newer one hides an older one's values of the same ref or reflog entry. A change adds a
// table, and git joins tables now and then, so a listed one may be missing when it is opened: then the list is read
// again.
//
// The package only reads, and only what is needed: a table's indexes lead to the block of a name. Writing is git's
// (git-update-ref(1)), which takes the locks and joins the tables. Data outside of the specification give
// ErrUnsupported, and data against it ErrCorrupt. Content never causes a panic, and lengths in the file are limited by
// the largest block of the format.
package reftable
