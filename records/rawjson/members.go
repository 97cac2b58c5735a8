package rawjson

import "strconv"

// Members writes the members of a JSON object in the order of the calls, without spaces. The zero value is ready for
// use. An object must have at least one member.
type Members struct{ out []byte }

func (o *Members) name(name string) {
	if len(o.out) == 0 {
		o.out = append(o.out, '{')
	} else {
		o.out = append(o.out, ',')
	}
	o.out = append(AppendString(o.out, name), ':')
}

// Text adds a string.
func (o *Members) Text(name, value string) *Members {
	o.name(name)
	o.out = AppendString(o.out, value)
	return o
}

// Number adds an integer.
func (o *Members) Number(name string, value int64) *Members {
	o.name(name)
	o.out = strconv.AppendInt(o.out, value, 10)
	return o
}

// Flag adds true or false.
func (o *Members) Flag(name string, value bool) *Members {
	o.name(name)
	o.out = strconv.AppendBool(o.out, value)
	return o
}

// Raw adds a value that is already JSON.
func (o *Members) Raw(name string, value []byte) *Members {
	o.name(name)
	o.out = append(o.out, value...)
	return o
}

// End returns the object.
func (o *Members) End() []byte { return append(o.out, '}') }

// String returns the object as a string.
func (o *Members) String() string { return string(o.End()) }
