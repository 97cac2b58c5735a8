package capability

// Traits describe the data that an agent's hooks provide.
type Traits struct {
	CallIDs   CallIDs  `json:"call_ids"`
	Model     ModelOf  `json:"model"`
	Edits     EditsOf  `json:"edits"`
	Subagents bool     `json:"subagents"` // subagents' calls are distinguished, within their session
	HooksEnd  bool     `json:"hooks_end"` // reports when all hooks of an answer's calls have ended
	Notes     []string `json:"notes,omitempty"`
}

// CallIDs says how the before and after boundaries of a tool call are matched.
type CallIDs string

// The ways to match the boundaries of a call. Paired calls are marked with tool_call_id_missing in the log.
const (
	CallIDsNative CallIDs = "native" // the agent gives each call an id
	CallIDsPaired CallIDs = "paired" // calls are paired by content and order, because the agent provides no id
	CallIDsEither CallIDs = "either" // calls are paired by the id, if the payload has one
)

// ModelOf says where the model of a call is taken from.
type ModelOf string

// The sources of a model.
const (
	ModelOfCall    ModelOf = "call"         // the payload of each call
	ModelOfSession ModelOf = "session_file" // the last answer in the session file at the time of the call
	ModelUnknown   ModelOf = "unknown"      // no event names it
)

// EditsOf says which texts of an edit are known.
type EditsOf string

// The known texts of an edit.
const (
	EditsWhole    EditsOf = "whole_files" // the whole file before and after the edit
	EditsReplaced EditsOf = "texts"       // the replaced texts and their replacements
)
