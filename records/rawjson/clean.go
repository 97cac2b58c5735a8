package rawjson

import "unicode/utf8"

// AppendClean writes the JSON value in `raw` as strict JSON without spaces. Strings that encoding/json would reject,
// because of control characters or unknown escapes, are rewritten; everything else is unchanged.
func AppendClean(dst, raw []byte) ([]byte, error) {
	d := NewDecoder(raw)
	dst = appendClean(dst, d)
	if d.err != nil {
		return nil, d.err
	}
	if d.space(); d.pos != len(raw) {
		d.failHere()
		return nil, d.err
	}
	return dst, nil
}

func appendClean(dst []byte, d *Decoder) []byte {
	first := true
	switch d.Kind() {
	case Object:
		dst = append(dst, '{')
		for d.Open(); d.Member(); {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(AppendString(dst, string(d.Key())), ':')
			dst = appendClean(dst, d)
		}
		return append(dst, '}')
	case Array:
		dst = append(dst, '[')
		for d.OpenArray(); d.Element(); {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = appendClean(dst, d)
		}
		return append(dst, ']')
	case String:
		raw, escaped := d.quoted()
		if strict(raw, escaped) {
			return append(append(append(dst, '"'), raw...), '"')
		}
		return AppendString(dst, unquote(raw))
	default:
		return append(dst, d.Raw()...)
	}
}

// `strict` reports whether the text between the quotes of a string conforms to RFC 8259.
func strict(raw []byte, escaped bool) bool {
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c < 0x20:
			return false
		case c == '\\' && escaped:
			if i++; i == len(raw) {
				return false
			}
			switch raw[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if _, ok := hex4(raw[i+1:]); !ok {
					return false
				}
				i += 4
			default:
				return false
			}
		}
	}
	return utf8.Valid(raw)
}
