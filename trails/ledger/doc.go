// Package ledger keeps facts about the owners of lines beside a repository's log. It holds the ownership vector of
// every content that a path was seen with, and the other names of a path. It also holds the owners of the owner
// keys, and the typed texts of prompts.
//
// Vectors, names and owners are caches: package trails derives them again from the patches in the log
// (trails.Rebuild). A record that a killed process left unfinished does not count, and costs no other record. The
// texts of prompts are not a cache. They are readable by the user alone, never leave the machine, and go once a
// redacted record holds them.
//
// The package decides nothing: package trails and its rooms decide the owner of a line.
package ledger
