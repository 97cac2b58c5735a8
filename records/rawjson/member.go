package rawjson

// Member returns the JSON text of a member of an object; nil if there is none or `raw` is not an object.
func Member(raw []byte, name string) []byte {
	d := NewDecoder(raw)
	for d.Open(); d.Member(); {
		if string(d.Key()) == name {
			return d.Raw()
		}
	}
	return nil
}

// MemberText returns a member of an object if it is a string, otherwise "".
func MemberText(raw []byte, name string) string { return Unquote(Member(raw, name)) }

// MemberInt returns a member of an object if it is a whole number that fits into an int64, otherwise 0.
func MemberInt(raw []byte, name string) int64 {
	d := Decoder{data: Member(raw, name)}
	return d.Int()
}

// Cleaned returns a copy of an object as strict JSON; {} for anything else.
func Cleaned(raw []byte) []byte {
	if d := NewDecoder(raw); d.Kind() != Object {
		return []byte("{}")
	}
	clean, err := AppendClean(nil, raw)
	if err != nil {
		return []byte("{}")
	}
	return clean
}
