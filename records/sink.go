package records

import "encoding/json"

// Sink takes a conversation step by step.
type Sink interface {
	// Step takes the next step. It replaces the step of the same number from an earlier reading, and all later ones.
	// The sink owns the step from then on.
	Step(step *Step) error
	// Late takes the result of a call whose step was already passed on, and replaces the result that the step has for the
	// call.
	Late(stepIndex int, result Observation) error
}

// Collector is a sink that keeps the steps in memory, in a record.
type Collector struct{ Steps []Step }

// Step keeps the step.
func (c *Collector) Step(step *Step) error {
	c.Steps = append(c.Steps[:min(max(step.StepIndex-1, 0), len(c.Steps))], *step)
	return nil
}

// Late puts the result into the step that it belongs to.
func (c *Collector) Late(stepIndex int, result Observation) error {
	if i := stepIndex - 1; i >= 0 && i < len(c.Steps) {
		c.Steps[i].setObservation(result)
	}
	return nil
}

// setObservation replaces the observation of a call, or adds it.
func (s *Step) setObservation(result Observation) {
	for i := range s.Observations {
		if s.Observations[i].SourceCallID == result.SourceCallID {
			s.Observations[i] = result
			return
		}
	}
	s.Observations = append(s.Observations, result)
}

// Locator is the place in its session file at which a step begins.
type Locator struct {
	File   string // "" for the session's own file, otherwise the path of a subagent's file relative to its directory
	Offset int64
	Line   int64  // from 1
	ID     string // the agent's own id of the line
}

// Locating is a sink that wants to know where steps come from.
type Locating interface {
	// Locate is called before Step.
	Locate(stepIndex int, at Locator)
}

// Edited is the change of a file by a call, as its agent reports it.
type Edited struct {
	Step     int
	Call     string // id of the call
	Tool     string
	Subagent string          // the agent's id of the subagent that made the call, "" for the main conversation
	Input    json.RawMessage // of the call
	Path     string          // as the agent wrote it: absolute, or below Dir
	Dir      string          // the directory that the conversation began in, "" if it is not known
	Text     string          // the new text of an edit, the whole content of a written file
	Whole    bool            // Text is the whole file; whether it was there before is not known
	Hunks    []EditedHunk
}

// EditedHunk replaces lines of a file. At counts from 1 in the file before the edit.
type EditedHunk struct {
	At, Removed, Added int
	Lines              []string // the added lines, nil when their text is not known exactly
}

// Editing is a sink that takes the edits of calls.
type Editing interface {
	// Edited is called before the step of the call is taken.
	Edited(e Edited)
}
