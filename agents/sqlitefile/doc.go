// Package sqlitefile reads the tables of an SQLite database, including its write-ahead log, without SQLite. Some agents
// store their sessions in a database, and a driver would be the largest part of git-trace, only for a few tables.
//
// It supports the parts of https://www.sqlite.org/fileformat2.html that this needs: table b-trees with row ids,
// overflow pages, and the index that SQLite makes for a unique first column. For databases in WAL mode, it reads the
// log up to its last commit and verifies the checksums. It takes no locks and never writes. A database that is changed
// in place during reading may look broken; the caller then opens it again.
//
// Not supported: other indexes, tables without row ids, databases whose text is not UTF-8, and encrypted databases.
// Each of these is an error.
package sqlitefile
