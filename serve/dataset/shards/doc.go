// Package shards writes tables into files that engines read: rows in files of a bounded size, in Hive-style partitions,
// with a manifest for each writer.
//
// A table is a Go struct. Its fields are the columns, by the names of their JSON tags; the tag "kind" distinguishes
// types that JSON does not. A row is one JSON object a line. What makes another form of finished files of lines,
// Parquet for example, is a Packer: this package links no library for it.
//
// It promises:
//
//   - The same rows, options and writer give the same bytes in the same files.
//   - A file is complete before it has its name. Until all tables are whole, nothing of a writer is seen but what it
//     wrote the time before.
//   - A writer that was killed continues: files that it had finished are not made again.
//   - Several writers may share a directory. The names of files carry the key of their writer.
//   - Memory does not depend on the number of rows or partitions: a few files are open at a time, each with a buffer.
//
// A reader may look while a writer puts its files in place. Then it is not promised that they see all of the old files
// or all of the new ones. The manifest is replaced last.
package shards
