// Package schemas writes the JSON Schema of an answer from its Go type. The type gives the members, their forms, and
// which of them may be absent. Words add the rest: descriptions, the values of an enumeration, limits, and where null
// is allowed.
package schemas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Words holds the keywords of JSON Schema that a type does not give, by type (as package.Type), then by member. Two
// words are not keywords: "null" says whether null is allowed, and "optional" whether the member may be absent. The
// member "" is the type itself.
type Words map[string]map[string]map[string]json.RawMessage

// Writer writes schemas.
type Writer struct {
	Words Words
	// Types maps a type to the schema to use instead of one made from its form. Names are as in Words.
	Types map[string]string

	used map[string]int
	defs []string // names of types with a definition, in order of first use
	of   map[string]reflect.Type
}

// `At` returns the name of a type in Words.
func At(t reflect.Type) string { return t.String() }

// Schema returns the schema of an answer. For the name "log-1", the answer's id is "git-trace.log/1".
func (w *Writer) Schema(name string, t reflect.Type) ([]byte, error) {
	w.used, w.defs, w.of = map[string]int{}, nil, map[string]reflect.Type{}
	w.count(t)
	form, version, _ := strings.Cut(name, "-")
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		form, version = name[:at], name[at+1:]
	}
	var out object
	out.add("$schema", "https://json-schema.org/draft/2020-12/schema")
	out.add("$id", "https://github.com/git-trace/git-trace/docs/schema/"+name+".schema.json")
	out.add("title", "git-trace."+form+"/"+version)
	body := w.form(t)
	if members, is := body.get("properties").(*object); is && members.get("schema") != nil {
		members.set("schema", &object{{"const", "git-trace." + form + "/" + version}})
	}
	out = append(out, *body...)
	defs := &object{}
	for i := 0; i < len(w.defs); i++ { // the list grows in the loop
		defs.add(short(w.defs[i]), w.form(w.of[w.defs[i]]))
	}
	if len(*defs) > 0 {
		out.add("$defs", defs)
	}
	var text bytes.Buffer
	if err := write(&text, &out, ""); err != nil {
		return nil, err
	}
	text.WriteByte('\n')
	return text.Bytes(), nil
}

// `short` returns the name of a type within one schema.
func short(name string) string { return strings.ReplaceAll(name, ".", "_") }

// `count` counts the uses of each struct.
func (w *Writer) count(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		w.count(t.Elem())
	case reflect.Map:
		w.count(t.Elem())
	case reflect.Struct:
		name := At(t)
		if w.Types[name] != "" {
			return
		}
		if w.used[name]++; w.used[name] > 1 {
			return
		}
		for _, f := range Members(t) {
			if _, replaced := w.Words[f.Owner][f.Name]["is"]; !replaced {
				w.count(f.Type)
			}
		}
	default:
	}
}

// node returns the schema of a type, and whether null is allowed.
func (w *Writer) node(t reflect.Type) (out *object, null bool) {
	if text := w.Types[At(t)]; text != "" {
		return parse([]byte(text)), false
	}
	switch t.Kind() {
	case reflect.Pointer:
		out, _ = w.node(t.Elem())
		return out, true
	case reflect.Slice:
		items, _ := w.node(t.Elem())
		return &object{{"type", "array"}, {"items", items}}, false
	case reflect.Map:
		values, null := w.node(t.Elem())
		if null {
			values.nullable()
		}
		return &object{{"type", "object"}, {"additionalProperties", values}}, false
	case reflect.Struct:
		name := At(t)
		if t.Name() == "" || w.used[name] < 2 {
			return w.form(t), false
		}
		if !slices.Contains(w.defs, name) {
			w.defs, w.of[name] = append(w.defs, name), t
		}
		return &object{{"$ref", "#/$defs/" + short(name)}}, false
	case reflect.Bool:
		return &object{{"type", "boolean"}}, false
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Uint64, reflect.Uint32, reflect.Uint, reflect.Uint8:
		return &object{{"type", "integer"}}, false
	case reflect.Float64:
		return &object{{"type", "number"}}, false
	case reflect.String:
		return &object{{"type", "string"}}, false
	default: // any value is allowed
		return &object{}, false
	}
}

// form returns the schema of a struct.
func (w *Writer) form(t reflect.Type) *object {
	members, required := &object{}, []any{}
	for _, f := range Members(t) {
		words := w.Words[f.Owner][f.Name]
		one, null := w.node(f.Type)
		null = null && !f.Optional
		if text, told := words["null"]; told {
			null = string(text) == "true"
		}
		one = one.told(words)
		if null {
			one.nullable()
		}
		members.add(f.Name, one)
		if string(words["optional"]) != "true" && (!f.Optional || string(words["optional"]) == "false") {
			required = append(required, f.Name)
		}
	}
	out := &object{{"type", "object"}}
	if len(required) > 0 {
		out.add("required", required)
	}
	out.add("additionalProperties", false)
	out.add("properties", members)
	return out.told(w.Words[At(t)][""])
}

// Member is a member of a JSON object that a struct has.
type Member struct {
	Name     string
	Owner    string // the type that declares the field
	Type     reflect.Type
	Optional bool
}

// Members lists the members of a struct. Members of an embedded struct are in its place.
func Members(t reflect.Type) (out []Member) {
	for _, f := range reflect.VisibleFields(t) {
		tag, tagged := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if f.Anonymous && name == "" && inner.Kind() == reflect.Struct || !f.IsExported() || tag == "-" {
			continue
		}
		if !tagged || name == "" {
			name = f.Name
		}
		owner := t
		for _, at := range f.Index[:len(f.Index)-1] {
			if owner = owner.Field(at).Type; owner.Kind() == reflect.Pointer {
				owner = owner.Elem()
			}
		}
		one := Member{name, At(owner), f.Type, strings.Contains(options, "omit")}
		if at := slices.IndexFunc(out, func(m Member) bool { return m.Name == name }); at >= 0 {
			if len(f.Index) == 1 { // an outer member hides that of the embedded struct
				out[at] = one
			}
			continue
		}
		out = append(out, one)
	}
	return out
}

// object is a schema: its keywords in order.
type object []keyword

type keyword struct {
	name  string
	value any
}

func (o *object) add(name string, value any) { *o = append(*o, keyword{name, value}) }

func (o *object) get(name string) any {
	for _, k := range *o {
		if k.name == name {
			return k.value
		}
	}
	return nil
}

func (o *object) set(name string, value any) {
	for i := range *o {
		if (*o)[i].name == name {
			(*o)[i].value = value
			return
		}
	}
	o.add(name, value)
}

// `told` returns the schema with the words added. The word "is" replaces the rest of the schema.
func (o *object) told(words map[string]json.RawMessage) *object {
	out := &object{}
	if text, is := words["description"]; is {
		out.add("description", text)
	}
	if text, is := words["is"]; is {
		return joined(out, parse(text))
	}
	for _, k := range *o {
		_, chosen := words["enum"]
		if out.get(k.name) == nil && (!chosen || k.name != "type" && k.name != "pattern") {
			out.add(k.name, k.value)
		}
	}
	for _, name := range []string{"const", "enum", "pattern", "format", "contentEncoding", "minimum", "maximum",
		"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "exclusiveMinimum", "propertyNames",
		"anyOf", "oneOf"} {
		if text, is := words[name]; is {
			out.set(name, text)
		}
	}
	if text, is := words["items"]; is {
		var of map[string]json.RawMessage
		items, made := out.get("items").(*object)
		if json.Unmarshal(text, &of) == nil && made {
			out.set("items", items.told(of))
		}
	}
	return out
}

// `joined` returns the keywords of both schemas.
func joined(a, b *object) *object {
	out := append(slices.Clone(*a), *b...)
	return &out
}

// `nullable` makes the schema allow null.
func (o *object) nullable() {
	switch {
	case o.get("enum") != nil:
		var values []any
		text, _ := json.Marshal(o.get("enum"))
		if json.Unmarshal(text, &values) == nil && !slices.Contains(values, nil) {
			o.set("enum", append(values, nil))
		}
	case o.get("type") != nil:
		o.set("type", []any{o.get("type"), "null"})
	case len(*o) > 0:
		rest := &object{}
		var about any
		for _, k := range *o {
			if k.name == "description" {
				about = k.value
			} else {
				*rest = append(*rest, k)
			}
		}
		*o = nil
		if about != nil {
			o.add("description", about)
		}
		o.add("oneOf", []any{rest, &object{{"type", "null"}}})
	}
}

// parse parses a schema.
func parse(text []byte) *object {
	out := &object{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	_, _ = decoder.Token()
	for decoder.More() {
		name, _ := decoder.Token()
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			break
		}
		out.add(fmt.Sprint(name), value)
	}
	return out
}

// MarshalJSON returns the keywords in order, on one line.
func (o *object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, k := range *o {
		text, err := plain(k.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteString(", ")
		}
		fmt.Fprintf(&out, "%q: %s", k.name, text)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// `plain` returns the JSON of a value on one line.
func plain(value any) ([]byte, error) {
	switch v := value.(type) {
	case *object:
		return v.MarshalJSON()
	case []any:
		parts := make([][]byte, len(v))
		for i := range v {
			var err error
			if parts[i], err = plain(v[i]); err != nil {
				return nil, err
			}
		}
		return slices.Concat([]byte("["), bytes.Join(parts, []byte(", ")), []byte("]")), nil
	case json.RawMessage:
		return v, nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(out.Bytes()), err
}

// wide is the length in bytes up to which a schema is on one line.
const wide = 110

// write writes a schema; a long one has one line for each keyword.
func write(out *bytes.Buffer, o *object, indent string) error {
	text, err := o.MarshalJSON()
	if err != nil {
		return err
	}
	if len(text) <= wide && o.get("properties") == nil {
		out.Write(text)
		return nil
	}
	out.WriteString("{\n")
	for i, k := range *o {
		fmt.Fprintf(out, "%s  %q: ", indent, k.name)
		if inner, is := k.value.(*object); is {
			err = write(out, inner, indent+"  ")
		} else {
			text, err = plain(k.value)
			out.Write(text)
		}
		if err != nil {
			return err
		}
		if i < len(*o)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString(indent + "}")
	return nil
}
