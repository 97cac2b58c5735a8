// Package ledger keeps the facts beside a repository's log that tell the owners of lines. It holds the ownership
// vector of every content that a path was seen with, and the other names of a path. It also holds whom the owner keys
// of patches stand for, and the texts of prompts as they were typed.
//
// Vectors, names and owners are caches: package trails derives them again from the patches in the log
// (trails.Rebuild). A record that a killed process left unfinished does not count, and costs no other record. The
// texts of prompts are not a cache. They are readable by the user alone, never leave the machine, and go once a
// redacted record holds them.
//
// The package decides nothing: who owns a line is decided in package trails and its rooms.
package ledger
