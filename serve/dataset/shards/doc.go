// Package shards writes tables into files for query engines: files of limited size, in Hive-style partitions, with a
// manifest for each writer.
//
// A table is a Go struct. Its fields are the columns, named by their JSON tags. The tag "kind" distinguishes types that
// JSON does not. A row is one JSON object on one line. A Packer turns finished files into another form, Parquet for
// example: this package links no library for that.
//
// It promises:
//
//   - The same rows, options and writer give the same bytes in the same files.
//   - A file is complete before it gets its name. Until all tables are complete, readers see only the files of the
//     writer's previous run.
//   - After a kill, the next run of the writer continues, and does not make finished files again.
//   - Several writers may share a directory. File names contain the key of their writer.
//   - Memory does not depend on the number of rows or partitions: only a few files are open at a time, each with a
//     buffer.
//
// A reader may see a mix of old and new files while a writer puts its files in place. The manifest is replaced last.
package shards
