package tracestate

import (
	"errors"
	"fmt"
)

// History is the form of a state's history.
type History string

// The forms. The full histories of a conversation grow with the square of its length.
const (
	Full  History = "full"  // all messages
	Delta History = "delta" // only the messages after the state that `base` names
)

// Dialect is the form of messages.
type Dialect string

// The dialects.
const (
	Anthropic Dialect = "anthropic"
	OpenAI    Dialect = "openai"
)

// Options select the states and their form.
type Options struct {
	History   History
	Messages  Dialect
	System    string // the system prompt at the start of each history; "" for none
	Recorded  bool   // each history begins with the recorded system prompt of its answer, if there is one
	Reverted  bool   // also pairs of lines that were reverted
	MaxTokens int64  // the limit of a history, with four bytes counted as one token; 0 for no limit
	Subagents bool   // also states of subagents
	Active    bool   // without steps that the user undid
	Thinking  bool   // histories include the model's thinking
	PerCall   bool   // a state for each call of an answer with several calls
	Only      Kind   // only states of this kind; "" for both kinds
	MinChars  int    // the least number of characters in the action of a state

	Teachers *Teachers // answers of other models, for pairs; nil without
}

// The errors of options and of conversations.
var (
	ErrOption  = errors.New("cannot be")
	ErrTooLong = errors.New("its full histories are longer than 64 MiB")
)

// Check sets default options and returns the first error.
func (o *Options) Check() error {
	if o.History == "" {
		o.History = Full
	}
	if o.Messages == "" {
		o.Messages = Anthropic
	}
	switch {
	case o.History != Full && o.History != Delta:
		return fmt.Errorf("a history %w %.40q", ErrOption, string(o.History))
	case o.Messages != Anthropic && o.Messages != OpenAI:
		return fmt.Errorf("messages %w %.40q", ErrOption, string(o.Messages))
	case o.Only != "" && o.Only != ToolUse && o.Only != Text:
		return fmt.Errorf("a kind of states %w %.40q", ErrOption, string(o.Only))
	case o.MinChars < 0:
		return fmt.Errorf("a number of characters %w negative", ErrOption)
	case o.Recorded && o.History == Delta:
		return fmt.Errorf("recorded system prompts %w with histories of the form delta", ErrOption)
	case o.MaxTokens < 0, o.MaxTokens > 0 && o.History == Delta:
		return fmt.Errorf("a limit of tokens %w if it is negative, or with --history delta", ErrOption)
	}
	return nil
}

// maxBytes limits the total length of the full histories of a conversation.
const maxBytes = 64 << 20
