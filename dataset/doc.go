// Package dataset makes tables of what is known in a repository: conversations, their prompts, steps and calls, what
// they wrote, the commits, who owns the lines that these added, and how long the lines lived. Package shards writes
// them.
//
// No figure is counted here. Commits, lines and lives are those of package stats, conversations those of view, texts
// those of stored records, which are redacted. So sums over the tables are what git trace stats says.
package dataset
