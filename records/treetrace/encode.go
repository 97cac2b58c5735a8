package treetrace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Encode writes tree.json: indented by two spaces, members in the order of the format's page, with a line feed at the
// end. Elements of lists are encoded one by one, so that the memory holds a long document at most twice.
func Encode(d *Document) ([]byte, error) {
	var out bytes.Buffer
	v, sign := reflect.ValueOf(d).Elem(), "{"
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("json")
		if name == "-" {
			continue
		}
		fmt.Fprintf(&out, "%s\n  %q: ", sign, name)
		sign = ","
		if err := encodeMember(&out, v.Field(i)); err != nil {
			return nil, err
		}
	}
	out.WriteString("\n}\n")
	return out.Bytes(), nil
}

func encodeMember(out *bytes.Buffer, v reflect.Value) error {
	if v.Kind() != reflect.Slice || v.Len() == 0 {
		return indent(out, v.Interface(), "  ")
	}
	out.WriteString("[")
	for i := range v.Len() {
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString("\n    ")
		if err := indent(out, v.Index(i).Interface(), "    "); err != nil {
			return err
		}
	}
	out.WriteString("\n  ]")
	return nil
}

func indented(v any) ([]byte, error) {
	var out bytes.Buffer
	if err := indent(&out, v, ""); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// indent appends an encoded value and indents its further lines with `prefix`.
func indent(out *bytes.Buffer, v any, prefix string) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("encode treetrace: %w", err)
	}
	out.Truncate(out.Len() - 1) // the line feed
	return nil
}

// lines encodes values as JSON lines.
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
