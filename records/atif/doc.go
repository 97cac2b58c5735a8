// Package atif reads and writes trajectories of the Agent Trajectory Interchange Format: 1.0 to 1.8 are read, 1.7 is
// written. A file holds one document, an array of them, or one a line.
//
// A document becomes a TraceRecord and back. Some members have no place in a record: extra, token ids, images. Others
// would be written otherwise. They are kept under metadata.atif, as the difference between the document that was read
// and the one that the record gives. A document that was read is written again as it was, in the version that it had.
// Only the order of its members may differ, and members that the format does not know are left out.
package atif

// Name is the name of the format on the command line.
const Name = "atif"

// Version is the version that is written.
const Version = "ATIF-v1.7"

const versionPrefix = "ATIF-v1."
