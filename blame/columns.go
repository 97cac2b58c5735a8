package blame

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/blame/gitblame"
)

// columns sets the columns of the style from the options and the configuration. Options win over configuration.
func (s *session) columns(style *Style, digits int) error {
	o := &s.opts
	config, err := s.Config()
	if err != nil {
		return err
	}
	c := Columns{
		Digits: digits, Path: s.Path(), NoAuthor: o.NoAuthor, ShowName: o.ShowName, ShowNumber: o.ShowNumber,
		Annotate: o.Annotate, Prompts: o.Prompts,
		Email:         o.Email.Or(config.Bool("blame.showemail", false)),
		BlankBoundary: o.BlankBoundary.Or(config.Bool("blame.blankboundary", false)),
	}
	repeated, ages := o.ColorLines == gitblame.Yes, o.ColorByAge == gitblame.Yes
	if !repeated && !ages && style.Color {
		for _, mode := range config.All("blame.coloring") {
			switch mode {
			case "repeatedLines":
				repeated = true
			case "highlightRecent":
				ages = true
			case "none":
				repeated, ages = false, false
			}
		}
	}
	style.Columns = c
	if o.Annotate {
		return nil
	}
	if repeated {
		escape, err := s.Ask(nil, "config", "--get-color", "color.blame.repeatedlines", "cyan")
		if err != nil {
			return err
		}
		style.Columns.Repeated = escape
	}
	if ages {
		spec, ok := config.Get("color.blame.highlightrecent")
		if !ok {
			spec = "blue,12 month ago,white,1 month ago,red"
		}
		return s.ages(style, spec)
	}
	return nil
}

// ages reads color.blame.highlightRecent: colours and dates in turn, oldest first. Git parses both.
func (s *session) ages(style *Style, spec string) error {
	parts := strings.Split(spec, ",")
	for i := 0; i < len(parts); i += 2 {
		escape, err := s.Ask(nil, "config", "--get-color", "", strings.TrimSpace(parts[i]))
		if err != nil {
			return fmt.Errorf("read color.blame.highlightRecent: %w", err)
		}
		age := AgeColor{Escape: escape}
		if i+1 < len(parts) {
			out, err := s.Ask(nil, "rev-parse", "--since="+strings.TrimSpace(parts[i+1]))
			if err != nil {
				return fmt.Errorf("read color.blame.highlightRecent: %w", err)
			}
			seconds, _ := strings.CutPrefix(out, "--max-age=")
			if age.Until, err = strconv.ParseInt(seconds, 10, 64); err != nil {
				return fmt.Errorf("read color.blame.highlightRecent: %w", err)
			}
		}
		style.Columns.Ages = append(style.Columns.Ages, age)
	}
	return nil
}
