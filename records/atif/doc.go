// Package atif reads and writes trajectories of the Agent Trajectory Interchange Format: it reads versions 1.0 to 1.8
// and writes 1.7. A file contains one document, an array of documents, or one document on each line.
//
// The package converts a document to a TraceRecord and back. A record has no members for some data: extra, token ids,
// images. Other data would change. All this is kept in metadata.atif, as the difference between the document that was
// read and the document made from the record. So a document that was read is written unchanged, in its own version.
// Only the order of its members may differ, and unknown members are left out.
package atif

// Name is the name of the format on the command line.
const Name = "atif"

// Version is the version that this package writes.
const Version = "ATIF-v1.7"

const versionPrefix = "ATIF-v1."
