// Package atif reads and writes trajectories of the Agent Trajectory Interchange Format: it reads 1.0 to 1.8, and
// writes 1.7. A file holds one document, an array of them, or one a line.
//
// A document becomes a TraceRecord and back. Some members have no place in a record: extra, token ids, images. Others
// would change. They are kept under metadata.atif, as the difference between the read document and the one made from
// the record. So a read document is written unchanged, in its version. Only the order of its members may differ, and
// unknown members are left out.
package atif

// Name is the name of the format on the command line.
const Name = "atif"

// Version is the version that is written.
const Version = "ATIF-v1.7"

const versionPrefix = "ATIF-v1."
