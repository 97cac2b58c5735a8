// Package sqlitefile reads the tables of an SQLite database, its write-ahead log included, without SQLite: some agents
// keep their sessions in one, and a driver would be the largest part of git-trace for the sake of three tables.
//
// It reads what https://www.sqlite.org/fileformat2.html describes: table b-trees with row ids, overflow pages, and the
// index that SQLite makes for a unique first column. For databases in WAL mode it reads the log up to its last commit,
// and checks the checksums. It takes no locks and never writes. A database that is changed in place while it is read
// can look broken; the caller opens it again.
//
// Not read: other indexes, tables without row ids, databases whose text is not UTF-8, encrypted ones. Each is an error.
package sqlitefile
