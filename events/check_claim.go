package events

// Anchor is a statement from outside a log that its event Seq has the id ID. If the log agrees, nothing up to that
// event has changed since the statement.
type Anchor struct {
	Seq    int64  `json:"seq,omitempty"` // 0 for an invalid claim without a number
	ID     ID     `json:"id,omitempty"`
	Source string `json:"source"`         // source in words: "copy fetched from origin", "checkpoint signed by …"
	Void   string `json:"void,omitempty"` // why it does not count: "the signature is bad"; empty if it counts
}

// claim is the log's own statement that a checkpoint exists.
type claim struct {
	seq  int64
	data CheckpointData
}

// claimOf reads a checkpoint_signed event; nil for every other one.
func claimOf(e Event) *claim {
	if e.Type != CheckpointSigned || e.CheckData() != nil {
		return nil
	}
	c := &claim{seq: e.Seq}
	if ReadData(e.Data, &c.data) != nil {
		return nil
	}
	return c
}
