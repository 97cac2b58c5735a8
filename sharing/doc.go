// Package sharing exchanges recorded data with other clones through any git remote. The person chooses the data that
// leaves, and sees it before; the choice is valid for one URL. Each writer has its own refs there, so pushes never
// conflict. Fetched logs are read beside this clone's log and never merged into it.
//
// A digest is a separate log of the events about lines of published commits; a publication is a commit with a digest.
// Their forms are described in docs/format.md.
package sharing
