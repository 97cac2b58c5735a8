package treetrace

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Encode writes tree.json: two spaces of indentation, members in the order of the format's page, a line feed at the
// end.
func Encode(d *Document) ([]byte, error) { return indented(d) }

func indented(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode treetrace: %w", err)
	}
	return out.Bytes(), nil
}

// lines writes values as JSON lines.
func lines[T any](list []T) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for i := range list {
		if err := e.Encode(&list[i]); err != nil {
			return nil, fmt.Errorf("encode treetrace: %w", err)
		}
	}
	return out.Bytes(), nil
}
