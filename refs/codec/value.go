package codec

import (
	"reflect"
	"slices"
	"time"

	"github.com/git-trace/git-trace/refs"
)

// Value writes or reads what a pointer points to. The exported fields of a struct come one after another, in the order
// of their declaration, so that order is a part of the stored format. A pointer begins with a flag, and the members of
// a map are sorted by their keys, which are texts. Unlike encoding/json it prepares nothing for a type.
func Value(f Fields, p any) { value(f, reflect.ValueOf(p).Elem()) }

var (
	typeOfTime = reflect.TypeFor[time.Time]()
	typeOfOID  = reflect.TypeFor[refs.OID]()
)

func value(f Fields, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		f.Text(&s)
		v.SetString(s)
	case reflect.Bool:
		on := v.Bool()
		f.Flag(&on)
		v.SetBool(on)
	case reflect.Int, reflect.Int64:
		n := v.Int()
		f.Integer(&n)
		v.SetInt(n)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		n := int64(v.Uint())
		f.Integer(&n)
		v.SetUint(uint64(n))
	case reflect.Struct:
		switch v.Type() {
		case typeOfTime:
			f.Moment(v.Addr().Interface().(*time.Time))
			return
		case typeOfOID:
			f.OID(v.Addr().Interface().(*refs.OID))
			return
		}
		for i := range v.NumField() {
			if one := v.Field(i); one.CanSet() {
				value(f, one)
			}
		}
	case reflect.Pointer:
		there := !v.IsNil()
		if f.Flag(&there); there && v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if there {
			value(f, v.Elem())
		}
	case reflect.Slice:
		items(f, v)
	case reflect.Map:
		members(f, v)
	default:
		panic("no form for " + v.Type().String())
	}
}

func items(f Fields, v reflect.Value) {
	n := f.Count(v.Len())
	if v.Len() != n {
		v.Grow(min(n, 1024))
	}
	for i := range n {
		if r, reading := f.(*Reader); reading && r.Failed {
			return
		}
		if i == v.Len() {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		}
		value(f, v.Index(i))
	}
}

func members(f Fields, v reflect.Value) {
	keys := make([]string, 0, v.Len())
	for _, key := range v.MapKeys() {
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	List(f, &keys, func(text *string) {
		f.Text(text)
		key, one := reflect.ValueOf(*text).Convert(v.Type().Key()), reflect.New(v.Type().Elem()).Elem()
		if had := v.MapIndex(key); had.IsValid() {
			one.Set(had)
		}
		value(f, one)
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		v.SetMapIndex(key, one)
	})
}
