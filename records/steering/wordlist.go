package steering

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// `With` returns the words with the words of another table added, so that prompts in another language are understood
// too. The table has the form of words.json; each list is optional. It cannot set the confidence of a phrase.
func (w *Words) With(raw []byte) (*Words, error) {
	var more Words
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&more); err != nil {
		return nil, fmt.Errorf("read table of words: %w", err)
	}
	out := *w
	out.Failures = slices.Clone(w.Failures)
	for _, cue := range more.Failures {
		at := slices.IndexFunc(out.Failures, func(c Cue) bool { return c.Type == cue.Type })
		if at < 0 || cue.Confidence != 0 {
			return nil, fmt.Errorf("read table of words: failures: %q is not a type in words.json, or sets a confidence",
				cue.Type)
		}
		phrases, err := phrasesOf(cue.Phrases)
		if err != nil {
			return nil, err
		}
		out.Failures[at].Phrases = slices.Concat(out.Failures[at].Phrases, phrases)
	}
	own, theirs := reflect.ValueOf(&out).Elem(), reflect.ValueOf(&more).Elem()
	for i := range own.NumField() {
		list, isList := theirs.Field(i).Interface().([]string)
		if !isList {
			continue
		}
		phrases, err := phrasesOf(list)
		if err != nil {
			return nil, err
		}
		have, _ := own.Field(i).Interface().([]string)
		own.Field(i).Set(reflect.ValueOf(slices.Concat(have, phrases)))
	}
	return &out, nil
}

// phrasesOf converts phrases to the form in which they are searched for.
func phrasesOf(list []string) ([]string, error) {
	out := make([]string, 0, len(list))
	for _, phrase := range list {
		text := strings.Join(tokens(phrase), " ")
		if text == "" {
			return nil, fmt.Errorf("read table of words: %q holds no word", phrase)
		}
		out = append(out, text)
	}
	return out, nil
}
