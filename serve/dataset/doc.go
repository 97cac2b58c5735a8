// Package dataset makes tables of the data of a repository: conversations, their prompts, steps and calls, their
// patches, the commits, the owners of added lines, and how long the lines lived. Package shards writes them.
//
// This package counts no figures itself. Package stats gives commits, lines and lives, view gives conversations, and
// stored records give texts, which are redacted. So sums over the tables equal the figures of git trace stats.
package dataset
