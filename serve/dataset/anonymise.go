package dataset

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strings"
)

// Anonymiser replaces names, ids and paths by keyed hashes, and removes texts. With one key, equal names have equal
// hashes. So tables of several repositories can still be joined. Without the key nobody can compute a hash or test a
// guessed name.
type Anonymiser struct{ key []byte }

// NewAnonymiser takes a key of 32 random bytes.
func NewAnonymiser(key []byte) *Anonymiser { return &Anonymiser{key} }

// hashed is the length of a keyed hash in bytes.
const hashed = 16

// Hash returns the hash of a name. For each kind, equal names have different hashes.
func (a *Anonymiser) Hash(kind, text string) string {
	mac := hmac.New(sha256.New, a.key)
	mac.Write([]byte(kind + "\x00" + text))
	return hex.EncodeToString(mac.Sum(nil)[:hashed])
}

// path hashes each part of a path together with the parts before it. So the tree of directories remains, and equal
// names in different directories have different hashes.
func (a *Anonymiser) path(path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = a.Hash("path", strings.Join(strings.Split(path, "/")[:i+1], "/"))[:hashed]
	}
	return strings.Join(parts, "/")
}

// Row anonymises a row: a pointer to a struct of a table.
func (a *Anonymiser) Row(row any) {
	value := reflect.ValueOf(row).Elem()
	for i := range value.NumField() {
		how := value.Type().Field(i).Tag.Get("anon")
		if how == "" || how == "keep" {
			continue
		}
		a.field(how, value.Field(i))
	}
}

func (a *Anonymiser) field(how string, field reflect.Value) {
	if how == "drop" {
		field.SetZero()
		return
	}
	of := func(text string) string {
		if how == "path" {
			return a.path(text)
		}
		return a.Hash(how, text)
	}
	switch at := field.Addr().Interface().(type) {
	case *string:
		*at = of(*at)
	case **string:
		if *at != nil {
			*at = new(of(**at))
		}
	case *[]string:
		out := make([]string, len(*at))
		for i, text := range *at {
			out[i] = of(text)
		}
		*at = out
	case *json.RawMessage:
		*at = nil
	}
}
