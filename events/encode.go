package events

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Encode writes one of the data structs in canonical form, for Draft.Data. It supports the types of their fields:
// strings, integers, slices, structs, types with MarshalText and times. A field with omitempty or omitzero in its json
// tag is left out if it is zero. Bools, floats, maps, pointers and null are refused.
func Encode(data any) (json.RawMessage, error) {
	if raw, ok := data.(json.RawMessage); ok {
		return Canonical(raw)
	}
	e := encoder{fields: make(map[reflect.Type][]field, 4)}
	out, err := e.value(make([]byte, 0, 512), reflect.ValueOf(data), MaxDepth)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", data, err)
	}
	return out, nil
}

// timeLayout is RFC 3339 with exactly nine digits of fraction, so that one instant has one text.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

func appendTime(dst []byte, t time.Time) ([]byte, error) {
	t = t.UTC()
	if year := t.Year(); year < 0 || year > 9999 {
		return dst, fmt.Errorf("year %d cannot be written in RFC 3339", year)
	}
	dst = append(dst, '"')
	return append(t.AppendFormat(dst, timeLayout), '"'), nil
}

// encoder caches facts about each struct type during one call.
type encoder struct {
	fields map[reflect.Type][]field
}

func (e *encoder) value(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if !v.IsValid() {
		return dst, errors.New("an event must not contain null")
	}
	switch value := v.Interface().(type) {
	case time.Time:
		return appendTime(dst, value)
	case encoding.TextMarshaler:
		text, err := value.MarshalText()
		if err != nil {
			return dst, err
		}
		return appendString(dst, string(text))
	}
	switch v.Kind() {
	case reflect.String:
		return appendString(dst, v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return appendInt(dst, v.Int())
	case reflect.Slice:
		return e.slice(dst, v, depth)
	case reflect.Struct:
		return e.object(dst, v, depth)
	}
	return dst, fmt.Errorf("an event must not contain %s", v.Type())
}

func (e *encoder) slice(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth == 0 {
		return dst, fmt.Errorf("nested more than %d deep", MaxDepth)
	}
	dst = append(dst, '[')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = e.value(dst, v.Index(i), depth-1); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func (e *encoder) object(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth == 0 {
		return dst, fmt.Errorf("nested more than %d deep", MaxDepth)
	}
	dst = append(dst, '{')
	first := true
	for _, f := range e.plan(v.Type()) {
		field := v.Field(f.index)
		if f.optional && isZero(field) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		var err error
		dst = append(append(dst, f.quoted...), ':')
		if dst, err = e.value(dst, field, depth-1); err != nil {
			return dst, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return append(dst, '}'), nil
}

// isZero combines omitempty and omitzero: an empty list counts as zero, like a nil one.
func isZero(v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	if z, ok := v.Interface().(interface{ IsZero() bool }); ok {
		return z.IsZero()
	}
	return v.IsZero()
}

// field is one member of an encoded struct.
type field struct {
	name     string
	quoted   string // the name with its quotes
	index    int
	optional bool
}

// plan lists the fields of a struct type in the order of writing.
func (e *encoder) plan(t reflect.Type) []field {
	if known, ok := e.fields[t]; ok {
		return known
	}
	plan := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		plan = append(plan, field{
			name:     name,
			quoted:   string(appendQuoted(nil, name)),
			index:    i,
			optional: strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero"),
		})
	}
	slices.SortFunc(plan, func(a, b field) int { return compareKeys(a.name, b.name) })
	e.fields[t] = plan
	return plan
}
