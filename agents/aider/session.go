package aider

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/jsonlines"
	"github.com/git-trace/git-trace/agents/sessionfile"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/records/assemble"
)

// sessions implements the capabilities for the chat history.
type sessions struct{ index *index }

// parser returns the parser of a conversation in a chat history: the one in the options, otherwise the last one.
func (s sessions) parser() sessionfile.Kind {
	return sessionfile.Kind{
		Agent: Name, Open: s.open,
		Session: func(_ string, file sessionfile.File) string {
			if h, ok := file.(history); ok {
				return h.part.id
			}
			return ""
		},
		Format: func(c *assemble.Conversation, of sessionfile.Place) sessionfile.Format {
			return &session{c: c, dir: dirOf(of.Path)}
		},
	}
}

// session is a conversation that is being read.
type session struct {
	sessionfile.Plain
	c   *assemble.Conversation
	dir string // the directory to which paths are relative; "" if unknown

	text    string // text that may be the model's
	textAt  records.Locator
	command bool   // lines without a mark are the output of a user's command
	talk    string // the text for the model in a user's command, until it is known whether a prompt repeats it
	talkAt  records.Locator

	model, format string // model and edit format from the header
	editor        writer // the model that makes the edits in architect mode
	edits         bool   // the editor model was asked
	answers       int
	key           string // the key of the last answer
	calls         []*call
	failed        bool // Aider reported that edits of the last answer failed
}

// writer is a model and its edit format.
type writer struct{ model, format string }

// writer returns the model of the next answer. In architect mode, one model makes a proposal and, after the user's
// consent, another one makes the edits.
func (s *session) writer() writer {
	if s.format == "architect" && s.edits {
		return writer{cmp.Or(s.editor.model, s.model), s.editor.format}
	}
	return writer{s.model, s.format}
}

// End adds the last answer.
func (s *session) End() error {
	if err := s.told(); err != nil {
		return err
	}
	return s.close(nil)
}

// Object handles a block.
func (s *session) Object(object jsonlines.Object) error {
	at := records.Locator{Offset: object.Offset, Line: object.Line, ID: "line-" + strconv.FormatInt(object.Line, 10)}
	s.c.Begin(at.ID)
	kind, text := object.Raw[0], strings.ReplaceAll(string(object.Raw[1:]), "\r\n", "\n")
	if kind == blockPrompt {
		return s.prompt(at, asked(text))
	}
	if err := s.told(); err != nil {
		return err
	}
	switch kind {
	case blockHeading:
		s.heading(text)
	case blockTool:
		return s.tool(at, strings.Split(strings.TrimRight(text, "\n"), "\n"))
	default:
		s.text, s.textAt = strings.TrimSpace(text), at
	}
	return nil
}

func (s *session) heading(text string) {
	began, _ := begins(bytes.TrimSpace([]byte(text)))
	s.c.Change(func(h *assemble.Head) {
		h.Began = strings.Replace(began, " ", "T", 1)
		h.SetMeta("timezone", "unknown")
		h.WorksIn(s.dir)
	})
	s.c.Take()
}

// `asked` returns the text of a prompt.
func asked(block string) string {
	var lines []string
	for line := range strings.Lines(block) {
		line = strings.TrimRight(strings.TrimPrefix(line, "#### "), " \n")
		if line == "<blank>" {
			line = ""
		}
		lines = append(lines, line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// prompt handles a prompt, or a command for Aider.
func (s *session) prompt(at records.Locator, text string) error {
	if err := s.close(nil); err != nil {
		return err
	}
	repeated := s.talk != "" && text == s.talk
	if repeated {
		s.talk = ""
	} else if err := s.told(); err != nil {
		return err
	}
	s.command, s.edits = false, false
	word, args, _ := strings.Cut(text, " ")
	args = strings.TrimSpace(args)
	switch {
	case text == "":
		s.c.Skip("empty_prompt")
		return nil
	case repeated:
		return s.ask(at, text, "command")
	case strings.HasPrefix(text, "!"):
		s.shell(strings.TrimSpace(text[1:]))
	case !strings.HasPrefix(text, "/"):
		return s.ask(at, text, "")
	default:
		switch word {
		case "/ask", "/architect", "/code", "/context", "/help":
			if args != "" {
				s.talk, s.talkAt = args, at
				s.c.Take()
				return nil
			}
		case "/run", "/test", "/git":
			s.shell(strings.TrimSpace(strings.TrimPrefix(text, "/run")))
			return nil
		}
		s.command = true
		s.c.Append("commands", "after_step", map[string]any{"command": assemble.Summary(text)})
		s.c.Take()
		return nil
	}
	return nil
}

// shell records a command line that the user ran.
func (s *session) shell(line string) {
	s.command = true
	s.c.Append("user_shell", "after_step", map[string]any{"command": line})
	s.c.Take()
}

func (s *session) ask(at records.Locator, text, source string) error {
	return s.c.Asked(assemble.Prompt{At: at, Text: text, Source: source}, false)
}

// `told` adds a command's text for the model as a prompt, unless a prompt repeats it.
func (s *session) told() error {
	if s.talk == "" {
		return nil
	}
	text := s.talk
	s.talk = ""
	if err := s.c.Settle(); err != nil {
		return err
	}
	return s.c.Prompt(assemble.Prompt{At: s.talkAt, Text: text, Source: "command"})
}

// `close` ends the model's text and its calls, because nothing more will come for them.
func (s *session) close(of *remarks) error {
	if err := s.answer(of); err != nil {
		return err
	}
	return s.settle(nil, true)
}

// answer adds the waiting text as an answer of the model, with Aider's remarks on it.
func (s *session) answer(of *remarks) error {
	if s.text == "" {
		return nil
	}
	text := s.text
	s.text = ""
	if s.command && (of == nil || of.usage == nil) {
		s.c.Begin("")
		s.c.Skip("command_output")
		return nil
	}
	s.command = false
	if err := s.settle(nil, true); err != nil { // results of the previous answer
		return err
	}
	s.answers++
	s.key = "answer-" + strconv.Itoa(s.answers)
	a := assemble.Answer{At: s.textAt, Key: s.key, Text: text, Model: s.writer().model}
	if of != nil {
		a.Usage = of.usage
		if of.interrupted {
			a.Stop = "aborted"
		}
	}
	var named []string
	if of != nil {
		named = of.named
	}
	for _, e := range editsOf(text, s.writer().format, named) {
		one := &call{id: s.callID(), edit: e}
		s.calls = append(s.calls, one)
		a.Calls = append(a.Calls, one.asked(s.dir))
	}
	return s.c.Answered(a)
}

// callID returns an id for the next call of the last answer, because Aider has no ids.
func (s *session) callID() string {
	return "aider_" + strconv.Itoa(s.answers) + "_" + strconv.Itoa(len(s.calls)+1)
}
