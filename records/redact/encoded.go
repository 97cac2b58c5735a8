package redact

import (
	"context"
	"slices"

	"github.com/git-trace/git-trace/records/redact/gitleaks"
)

// maxLayers is the number of nested encodings that are decoded.
const maxLayers = 3

// secrets finds the secrets of a text, in the text itself and in its encodings. It also finds names if the manner asks
// for them. The parameter `layer` is the number of encodings around the text. Without escapes and terminal sequences,
// decoding does not change the text. So the finder's rules run once, after decoding.
func (r *Redactor) secrets(ctx context.Context, text string, m manner, layer int) ([]span, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := r.marksOf(text)
	defer func() { r.marks = append(r.marks, s) }()
	found := r.plain(s, m)
	if layer < maxLayers {
		if v := &r.rooms[layer].resolved; resolve(v, text) {
			list, err := r.secrets(ctx, string(v.text), m, layer+1)
			return append(found, v.back(list)...), err
		}
	}
	if v, changed, glued := s.shown(); changed {
		list, err := r.secrets(ctx, string(v.text), m, layer)
		if err != nil {
			return nil, err
		}
		found = append(found, v.back(list)...)
		if glued {
			v = shownApart(text)
			list, err = r.secrets(ctx, string(v.text), m, layer)
			found = append(found, v.back(list)...)
		}
		return found, err
	}
	tokens := r.tokens(text)
	list, err := r.find(ctx, loosen(text, tokens))
	if err != nil {
		return nil, err
	}
	found = append(found, list...)
	if layer >= maxLayers {
		return found, nil
	}
	v := &r.rooms[layer].unwrapped
	if r.unwrap(v, text); len(v.text) > 0 {
		joined := string(v.text)
		tokens := r.tokens(joined)
		list, err := r.find(ctx, loosen(joined, tokens))
		if err != nil {
			return nil, err
		}
		// the joined word has no known end
		list = slices.DeleteFunc(list, func(s span) bool { return s.rule == gitleaks.Generic && joined[s.end] != '"' })
		found = append(found, v.back(append(append(list, r.known(r.begins.scan(joined))...), r.rules.find(joined)...))...)
		if list, err = r.inWords(ctx, joined, tokens, m, layer); err != nil {
			return nil, err
		}
		found = append(found, v.back(list)...)
	}
	list, err = r.inWords(ctx, text, tokens, m, layer)
	return append(found, list...), err
}

func (r *Redactor) marksOf(text string) *marks {
	s := &marks{}
	if n := len(r.marks); n > 0 {
		s, r.marks = r.marks[n-1], r.marks[:n-1]
	}
	return r.begins.scanInto(s, text)
}
