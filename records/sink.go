package records

import "encoding/json"

// Sink receives a conversation step by step.
type Sink interface {
	// Step receives the next step. If a step with this number was passed before, the new step replaces it and all later
	// steps. The sink owns the step from then on.
	Step(step *Step) error
	// Late receives the result of a call whose step was already passed. It replaces an earlier result of that call.
	Late(stepIndex int, result Observation) error
}

// Collector is a sink that keeps the steps in memory.
type Collector struct{ Steps []Step }

// Step stores the step.
func (c *Collector) Step(step *Step) error {
	c.Steps = append(c.Steps[:min(max(step.StepIndex-1, 0), len(c.Steps))], *step)
	return nil
}

// `Late` stores the result in its step.
func (c *Collector) Late(stepIndex int, result Observation) error {
	if i := stepIndex - 1; i >= 0 && i < len(c.Steps) {
		c.Steps[i].setObservation(result)
	}
	return nil
}

// setObservation replaces the observation of a call, or adds a new one.
func (s *Step) setObservation(result Observation) {
	for i := range s.Observations {
		if s.Observations[i].SourceCallID == result.SourceCallID {
			s.Observations[i] = result
			return
		}
	}
	s.Observations = append(s.Observations, result)
}

// Locator is the place in a session file at which a step begins.
type Locator struct {
	File   string // "" for the main file, otherwise a subagent's file, relative to the main file's directory
	Offset int64
	Line   int64  // number of the line, from 1
	ID     string // the agent's own id of the line
}

// Locating is a sink that also receives the source of each step.
type Locating interface {
	// Locate is called before Step.
	Locate(stepIndex int, at Locator)
}

// Edited is the change of one file by a call, as the agent reports it.
type Edited struct {
	Step     int
	Call     string // the id of the call
	Tool     string
	Subagent string          // the agent's id of the subagent that made the call; "" for the main conversation
	Input    json.RawMessage // the input of the call
	Path     string          // path in the agent's spelling: absolute, or relative to Dir
	Dir      string          // the directory in which the conversation began; "" if unknown
	Text     string          // the new text of an edit, or the whole content of a written file
	Whole    bool            // Text is the whole file; it is unknown whether the file existed before
	Hunks    []EditedHunk
}

// EditedHunk replaces lines of a file. At counts from 1 in the file before the edit.
type EditedHunk struct {
	At, Removed, Added int
	Lines              []string // the added lines; nil if their exact text is unknown
}

// Editing is a sink that also receives the edits of calls.
type Editing interface {
	// Edited is called before Step is called with the step of the call.
	Edited(e Edited)
}
