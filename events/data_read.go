package events

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/refs"
)

// ReadData reads the data of an event into a structure of its type, as encoding/json does, in half of the time. It
// leaves data that is not canonical, or has unknown members, to encoding/json.
func ReadData(raw []byte, into any) error { return new(dataReader).read(raw, into) }

// dataReader reads the data of many events.
type dataReader struct {
	scan  scanner
	words words
}

func (r *dataReader) read(raw []byte, into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return json.Unmarshal(raw, into)
	}
	before := reflect.New(v.Elem().Type()).Elem()
	before.Set(v.Elem())
	v.Elem().SetZero()
	r.scan = scanner{buf: raw, words: &r.words}
	if r.scan.into(v.Elem()) != nil || r.scan.pos != len(raw) {
		v.Elem().Set(before)
		return json.Unmarshal(raw, into)
	}
	return nil
}

// errStrange reports an unknown member, or a kind that only encoding/json reads.
var errStrange = errors.New("member that this version does not know")

// dataFields holds the members of each type of structure, by their names: the places of their fields.
var dataFields sync.Map

func fieldsOf(t reflect.Type) map[string]int {
	if known, ok := dataFields.Load(t); ok {
		return known.(map[string]int) // the map has only this type
	}
	fields := map[string]int{}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" {
			fields[name] = i
		}
	}
	dataFields.Store(t, fields)
	return fields
}

// `into` reads a JSON value into a Go value.
func (s *scanner) into(v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		quoted, err := s.str()
		if err == nil {
			v.SetString(s.text(quoted))
		}
		return err
	case reflect.Int, reflect.Int64:
		n, err := s.integer()
		if err == nil && v.OverflowInt(n) {
			err = s.fault("integer that is too large for this machine")
		}
		v.SetInt(n)
		return err
	case reflect.Slice:
		return s.list(v)
	case reflect.Struct:
		switch of := v.Addr().Interface().(type) {
		case *refs.OID:
			quoted, err := s.str()
			if err != nil {
				return err
			}
			return of.UnmarshalText([]byte(s.text(quoted)))
		case json.Unmarshaler, encoding.TextUnmarshaler:
			return errStrange
		}
		fields := fieldsOf(v.Type())
		return s.object(MaxDepth, func(name []byte) error {
			i, known := fields[string(name)]
			if !known {
				return errStrange
			}
			return s.into(v.Field(i))
		})
	}
	return errStrange
}

func (s *scanner) list(v reflect.Value) error {
	if err := s.expect('['); err != nil {
		return err
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for n := 0; s.peek() != ']'; n++ {
		if n > 0 {
			if err := s.expect(','); err != nil {
				return err
			}
		}
		v.Grow(1)
		v.SetLen(n + 1)
		v.Index(n).SetZero()
		if err := s.into(v.Index(n)); err != nil {
			return err
		}
	}
	s.pos++
	return nil
}
