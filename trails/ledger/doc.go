// Package ledger stores facts about the owners of lines, in addition to a repository's log. It has the ownership vector
// of every content that a path had, and the other names of a path. It also has the owners that belong to owner keys,
// and the texts of prompts as typed.
//
// Vectors, names and owners are caches: package trails can derive them again from the patches in the log
// (trails.Rebuild). If a process is killed while it writes a record, that record is ignored, and no other record is
// lost. The texts of prompts are not a cache. Only the user can read them. They never leave the machine, and are
// deleted when a redacted record has them.
//
// The package makes no decisions: package trails and its subpackages decide the owner of a line.
package ledger
