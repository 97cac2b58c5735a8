package capability

// Traits describe the contents of an agent's hooks.
type Traits struct {
	CallIDs   CallIDs  `json:"call_ids"`
	Model     ModelOf  `json:"model"`
	Edits     EditsOf  `json:"edits"`
	Subagents bool     `json:"subagents"` // sub-agents' calls are distinguished, under their session
	HooksEnd  bool     `json:"hooks_end"` // reports when all hooks of an answer's calls have ended
	Notes     []string `json:"notes,omitempty"`
}

// CallIDs say how the two ends of a tool call are brought together.
type CallIDs string

// The ways. Paired calls are marked in the log with tool_call_id_missing.
const (
	CallIDsNative CallIDs = "native" // by the agent's id of the call
	CallIDsPaired CallIDs = "paired" // by content and order, because the agent gives none
	CallIDsEither CallIDs = "either" // by the id where the payload has one
)

// ModelOf says where the model of a call is from.
type ModelOf string

// The sources of a model.
const (
	ModelOfCall    ModelOf = "call"         // the payload of each call
	ModelOfSession ModelOf = "session_file" // the last answer in the session file at the moment of the call
	ModelUnknown   ModelOf = "unknown"      // no event names it
)

// EditsOf says which texts of an edit tool are known.
type EditsOf string

// The known texts of an edit.
const (
	EditsWhole    EditsOf = "whole_files" // the whole file before and after the edit
	EditsReplaced EditsOf = "texts"       // the replaced texts and their replacements
)
