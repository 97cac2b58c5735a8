// Package dataset makes tables of the data of a repository: conversations, their prompts, steps and calls, their
// patches, the commits, the owners of added lines, and the lives of the lines. Package shards writes them.
//
// It does not count anything itself. Commits, lines and lives come from package stats, conversations from view, and
// redacted texts from stored records. So sums over the tables equal the figures of git trace stats.
package dataset
