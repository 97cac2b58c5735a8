package show

import (
	"io"
	"strings"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/report/answers"
	"github.com/git-trace/git-trace/view/lookup"
)

// Drawable is an object that show draws.
type Drawable interface {
	// `draw` draws the object for people, `fill` adds it to the answer for programs.
	draw(d *showDrawer)
	fill(o *answers.Object)
}

// Object is an object with its kind, as JSON shows it.
type Object struct {
	kind lookup.ObjectKind
	view Drawable
}

// ObjectOf returns an object of a kind.
func ObjectOf(kind lookup.ObjectKind, view Drawable) Object { return Object{kind, view} }

func (s Object) draw(d *showDrawer) { s.view.draw(d) }

func (s Object) fill(o *answers.Object) { s.view.fill(o) }

// Answer returns the object for programs.
func (s Object) Answer() *answers.Object {
	one := &answers.Object{Kind: string(s.kind)}
	s.fill(one)
	return one
}

func (t *TraceView) fill(o *answers.Object) { o.Trace = &t.Talk }

func (p *promptView) fill(o *answers.Object) { o.Prompt = p.WholeTurn }

func (t callView) fill(o *answers.Object) { o.ToolCall = t.WholeCall }

func (p hunkView) fill(o *answers.Object) { o.Patch = p.Hunk }

func (e eventView) fill(o *answers.Object) { o.Event = e.event.Raw() }

func (s *stepView) fill(o *answers.Object) { o.Step = &s.TalkStep }

func (v *WhyView) fill(o *answers.Object) { o.Why = v.JSON() }

func (c *commitView) fill(o *answers.Object) {
	o.Commit = &answers.Commit{CommitJSON: c.commit.JSON(), Reviews: c.reviews}
	for _, r := range c.rewrites {
		o.Commit.Rewrites = append(o.Commit.Rewrites, answers.Rewrite{Old: r.Old, New: r.New, Kind: r.Kind})
	}
}

// Draw draws objects for people, separated by empty lines.
func Draw[T Drawable](screen *terminal.Screen, v *Viewer, list []T) error {
	d := newShowDrawer(screen, v)
	for i, one := range list {
		if i > 0 {
			d.line("")
		}
		one.draw(d)
		if _, err := io.Copy(screen.Out, strings.NewReader(d.take())); err != nil {
			return err
		}
	}
	return nil
}

// Markdown returns objects as Markdown.
func Markdown(objects []Object, short func(events.TraceID) string) (string, error) {
	m := whyMarkdown{short: short}
	for _, o := range objects {
		switch v := o.view.(type) {
		case *TraceView:
			if v.record == nil {
				return "", lookup.NoRecord(v.Trace)
			}
			m.Record(&v.Conversation, v.record)
		case *stepView:
			m.step(v.Step)
		case *promptView:
			m.prompt(v, short)
		case callView:
			m.wholeCall(v.WholeCall)
		case *WhyView:
			m.view(v)
		default:
			return "", exit.Usage("--markdown is for conversations, prompts, steps, calls and lines, not for a %s", o.kind)
		}
	}
	return strings.TrimLeft(m.out.String(), "\n"), nil
}
