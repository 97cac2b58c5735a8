package toolcall

import "github.com/git-trace/git-trace/records/rawjson"

// Arguments returns the arguments of a call that the model wrote as a text. If they are not an object, it returns the
// value `parsed` if that is an object, otherwise an object that contains the text.
func Arguments(text string, parsed []byte) []byte {
	d := rawjson.NewDecoder([]byte(text))
	kind := d.Kind()
	if d.Skip(); d.Err() == nil && kind == rawjson.Object {
		return []byte(text)
	}
	if rawjson.NewDecoder(parsed).Kind() == rawjson.Object {
		return parsed
	}
	var in rawjson.Members
	return in.Text("arguments", text).End()
}
