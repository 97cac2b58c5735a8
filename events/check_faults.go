package events

// FaultKind classes what verification finds.
type FaultKind string

// The kinds of fault.
const (
	FaultRef    FaultKind = "ref"    // the ref cannot be read
	FaultObject FaultKind = "object" // a commit is missing, damaged, no commit, or does not hash to its name
	FaultCommit FaultKind = "commit" // a commit is not, byte for byte, what its events make it
	FaultFile   FaultKind = "file"   // the own log's file cannot be read, or has lines that no append writes
	FaultParent FaultKind = "parent" // a second parent, or a root that has one
	FaultTree   FaultKind = "tree"   // the tree is not the empty one
	FaultShape  FaultKind = "shape"  // a line is no canonical event
	FaultHash   FaultKind = "hash"   // an event's bytes do not hash to its id
	FaultChain  FaultKind = "chain"  // an event does not name the one before
	FaultNumber FaultKind = "number" // an event does not have the next number
	FaultWriter FaultKind = "writer" // an event was written by another writer than the log
	FaultAnchor FaultKind = "anchor" // an anchor names an event that the log does not hold
)
