package events

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Encode writes one of the data structs in canonical form, for Draft.Data. It supports the types of their fields:
// strings, integers, slices, structs, types with MarshalText and times. A field with omitempty or omitzero in its json
// tag is left out if it is zero. Bools, floats, pointers and null are refused.
func Encode(data any) (json.RawMessage, error) {
	if raw, ok := data.(json.RawMessage); ok {
		return Canonical(raw)
	}
	out, err := encodeValue(data)
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

func encodeValue(data any) ([]byte, error) {
	return appendValue(make([]byte, 0, 1024), reflect.ValueOf(data), MaxDepth)
}

func appendValue(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return dst, errors.New("an event must not contain null")
	}
	switch value := v.Interface().(type) {
	case time.Time:
		return appendTime(dst, value)
	case json.RawMessage: // the data of an event
		return append(dst, value...), nil
	case json.Number:
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil {
			return dst, fmt.Errorf("number %.40s is not an integer", value)
		}
		return appendInt(dst, n)
	case map[string]any: // foreign JSON
		return appendMap(dst, value, depth)
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
		return appendSlice(dst, v, depth)
	case reflect.Struct:
		return appendObject(dst, v, depth)
	}
	return dst, fmt.Errorf("an event must not contain %s", v.Type())
}

func appendSlice(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth == 0 {
		return dst, fmt.Errorf("nested more than %d deep", MaxDepth)
	}
	dst = append(dst, '[')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendValue(dst, v.Index(i), depth-1); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func appendObject(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth == 0 {
		return dst, fmt.Errorf("nested more than %d deep", MaxDepth)
	}
	dst = append(dst, '{')
	first := true
	for _, f := range planOf(v.Type()) {
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
		if dst, err = appendValue(dst, field, depth-1); err != nil {
			return dst, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return append(dst, '}'), nil
}

func appendMap(dst []byte, members map[string]any, depth int) ([]byte, error) {
	if depth == 0 {
		return dst, fmt.Errorf("nested more than %d deep", MaxDepth)
	}
	dst = append(dst, '{')
	for i, name := range slices.SortedFunc(maps.Keys(members), compareKeys) {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendString(dst, name); err != nil {
			return dst, err
		}
		if dst, err = appendValue(append(dst, ':'), reflect.ValueOf(members[name]), depth-1); err != nil {
			return dst, fmt.Errorf("%s: %w", name, err)
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

// plans holds the plan of each type.
var plans sync.Map

// planOf lists the fields of a struct type in the order of writing.
func planOf(t reflect.Type) []field {
	if known, ok := plans.Load(t); ok {
		return known.([]field) // the map has only this type
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
	plans.Store(t, plan)
	return plan
}
