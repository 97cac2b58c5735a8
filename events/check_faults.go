package events

// FaultKind classifies the faults that verification finds.
type FaultKind string

// The kinds of fault.
const (
	FaultRef    FaultKind = "ref"    // the ref cannot be read
	FaultObject FaultKind = "object" // an object of a seal is missing or damaged
	FaultFile   FaultKind = "file"   // this clone's file cannot be read, or has lines that append does not write
	FaultShape  FaultKind = "shape"  // a line is not a canonical event
	FaultHash   FaultKind = "hash"   // an event's bytes do not hash to its id
	FaultChain  FaultKind = "chain"  // an event does not name the previous one
	FaultNumber FaultKind = "number" // an event does not have the next number
	FaultWriter FaultKind = "writer" // an event was written by another writer than the log
	FaultAnchor FaultKind = "anchor" // an anchor names an event that the log does not hold
)
