package main

import "encoding/json"

// toldTalk is a conversation as log and show tell it.
type toldTalk struct {
	Lines                 int `json:"lines"`
	Trace, Agent, Session string
	Sources, Models       []string
	First, Last           string
	Prompts, Calls        int
	Added, Removed, Files int
	Commits, Lost         []toldCommit
	Prompt                *struct {
		Index int
		Text  string
	}
	Usage *struct {
		Steps, Input, Output int
		CacheRead            int      `json:"cache_read"`
		CacheWrite           int      `json:"cache_write"`
		CostUSD              *float64 `json:"cost_usd"`
	}
	Subagents []string
	Turns     []toldTurn
	Record    *toldRecord
}

func (t *toldTalk) seen() bool {
	for _, s := range t.Sources {
		if s == "hooks" {
			return true
		}
	}
	return false
}

type toldCommit struct {
	Commit string
	Lines  int
}

type toldTurn struct {
	Trace, Agent string
	Index        int
	Time         *string
	Text         *string
	Calls        []toldCall
}

type toldCall struct {
	ToolCall string `json:"tool_call"`
	Trace    string // of a call that is shown by itself
	Tool     string
	Prompt   int
	Status   string
	Files    []struct{ Added, Removed int }
	Patches  []string
	Commits  []toldCommit
}

// toldRecord is a record, as show and export give it.
type toldRecord struct {
	TraceID   string  `json:"trace_id"`
	SessionID string  `json:"session_id"`
	Start     *string `json:"timestamp_start"`
	End       *string `json:"timestamp_end"`
	Agent     struct{ Name string }
	Steps     []struct {
		Role       string
		Model      *string
		ParentStep *int              `json:"parent_step"`
		ToolCalls  []json.RawMessage `json:"tool_calls"`
	}
	Metrics struct {
		Input      int      `json:"total_input_tokens"`
		Output     int      `json:"total_output_tokens"`
		CacheRead  int      `json:"total_cache_read_tokens"`
		CacheWrite int      `json:"total_cache_creation_tokens"`
		Cost       *float64 `json:"estimated_cost_usd"`
	}
	Metadata map[string]json.RawMessage
	Links    []toldLink `json:"git_links"`
	Outcome  struct {
		Committed bool
		CommitSHA *string `json:"commit_sha"`
	}
	Lifecycle string
}

type toldLink struct {
	Revision, Tier string
	Reachable      *bool `json:"commit_reachable"`
}

// toldLines are the lines of a commit as graph and show tell them.
type toldLines struct {
	Commit           string
	Anchored         bool
	Added, AI, Human int
	Unknown          int
	Contributors     []toldContributor
}

type toldContributor struct {
	Contributor                  string
	Trace, Agent, Model, Session *string
	Prompt                       *struct{ Index int }
	Lines                        int
}

// toldTrail is a trail as track tells it.
type toldTrail struct {
	Owner                        string
	Trace, Agent, Session, Model string
	ToolCall                     string `json:"tool_call"`
	Lines, Removed               int
	Created                      *struct{ Time string }
	Now                          struct {
		Alive int
		Ref   *string
	}
}

// toldGroup is a group of stats --by.
type toldGroup struct {
	Key                                             map[string]*string
	Contributor                                     *string
	Added, AI, Human, Unknown, Older, Conversations int
	Percent                                         int
	CostUSD                                         *float64 `json:"cost_usd"`
	Accepted                                        *struct{ Written, Committed, Rewritten int }
}

type toldStats struct {
	Groups  []toldGroup
	Lines   struct{ Commits, Added, AI, Human, Unknown int }
	Authors []struct{ Commits, Added, AI, Human, Unknown int }
	Agents  []struct {
		Agent                string
		Conversations, Lines int
	}
	Conversations struct{ Count, Recorded, Prompts, Calls, Steps int }
	Tokens        struct {
		Input, Output int
		CacheRead     int `json:"cache_read"`
		CacheWrite    int `json:"cache_write"`
	}
	Cost struct {
		USD             float64
		Priced, Unknown int
	}
	Models []struct {
		Model                  string
		Conversations, Answers int
		Input, Output          int
		CacheRead              int `json:"cache_read"`
		CacheWrite             int `json:"cache_write"`
	}
}

type toldFound struct {
	Trace, Agent, Session string
	Start, End            *string
	Commits               []string
}
