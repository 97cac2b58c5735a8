package otlp

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/git-trace/git-trace/records/rawjson"
)

// Limits for the messages of a request.
const (
	mostDepth = 48     // nested messages
	mostItems = 20_000 // spans or log records
)

// Errors in a body.
var (
	errWire = errors.New("the body is not a message of OTLP")
	errDeep = errors.New("the body is nested too deeply")
	errMany = fmt.Errorf("the body has more than %d spans or records", mostItems)
)

// form is the form of a field's value.
type form int

const (
	aMessage form = iota
	aText
	anID    // bytes, written as hexadecimal digits
	someRaw // bytes
	aNumber // varint
	aTime   // fixed64
	aFloat
	aFlag
)

// field is a field of a message, with its name in OTLP's JSON.
type field struct {
	name  string
	form  form
	list  bool
	of    *message // the message that the field contains
	count bool     // each element is a span or a log record
}

type message map[protowire.Number]field

// The messages of opentelemetry/proto, version 1, without fields that nobody reads.
var (
	anyValue  = message{}
	pair      = message{1: {name: "key", form: aText}, 2: {name: "value", of: &anyValue}}
	arrayed   = message{1: {name: "values", list: true, of: &anyValue}}
	paired    = message{1: {name: "values", list: true, of: &pair}}
	resource  = message{1: {name: "attributes", list: true, of: &pair}}
	status    = message{2: {name: "message", form: aText}, 3: {name: "code", form: aNumber}}
	logRecord = message{1: {name: "timeUnixNano", form: aTime}, 11: {name: "observedTimeUnixNano", form: aTime},
		5: {name: "body", of: &anyValue}, 6: {name: "attributes", list: true, of: &pair},
		9: {name: "traceId", form: anID}, 10: {name: "spanId", form: anID}, 12: {name: "eventName", form: aText}}
	aSpan = message{1: {name: "traceId", form: anID}, 2: {name: "spanId", form: anID},
		4: {name: "parentSpanId", form: anID}, 5: {name: "name", form: aText},
		7: {name: "startTimeUnixNano", form: aTime}, 8: {name: "endTimeUnixNano", form: aTime},
		9: {name: "attributes", list: true, of: &pair}, 15: {name: "status", of: &status}}
	traceRequest = request("Spans", "spans", &aSpan)
	logRequest   = request("Logs", "logRecords", &logRecord)
)

// request returns the message of a request. Requests for spans and for log records have the same structure.
func request(kind, items string, of *message) message {
	scoped := message{2: {name: items, list: true, of: of, count: true}}
	within := message{1: {name: "resource", of: &resource}, 2: {name: "scope" + kind, list: true, of: &scoped}}
	return message{1: {name: "resource" + kind, list: true, of: &within}}
}

// anyForms are the forms of a value. A value may contain other values.
func anyForms() message {
	return message{1: {name: "stringValue", form: aText}, 2: {name: "boolValue", form: aFlag},
		3: {name: "intValue", form: aNumber}, 4: {name: "doubleValue", form: aFloat},
		5: {name: "arrayValue", of: &arrayed}, 6: {name: "kvlistValue", of: &paired}, 7: {name: "bytesValue", form: someRaw}}
}

// jsonOf returns a message in OTLP's JSON.
func jsonOf(raw []byte, m *message) ([]byte, error) {
	d := decoder{left: mostItems, values: anyForms()}
	out := d.message(nil, raw, m, 0)
	return out, d.err
}

// decoder decodes a request.
type decoder struct {
	err    error
	left   int // number of further spans and records that are allowed
	values message
}

// message appends a message. Elements of a list may be scattered. If any other field occurs twice, its last value
// counts. Fields are in the order of their first occurrence.
func (d *decoder) message(out, raw []byte, m *message, depth int) []byte {
	type member struct {
		field
		number protowire.Number
		values []byte
	}
	var members []member
	if depth > mostDepth {
		d.err = cmp.Or(d.err, errDeep)
	}
	forms := *m
	if m == &anyValue {
		forms = d.values
	}
	for len(raw) > 0 && d.err == nil {
		number, kind, n := protowire.ConsumeTag(raw)
		if n < 0 {
			d.err = errWire
			break
		}
		size := protowire.ConsumeFieldValue(number, kind, raw[n:])
		if size < 0 {
			d.err = errWire
			break
		}
		f, known := forms[number]
		value := raw[n : n+size]
		raw = raw[n+size:]
		if !known {
			continue
		}
		at := slices.IndexFunc(members, func(o member) bool { return o.number == number })
		if at < 0 {
			at, members = len(members), append(members, member{field: f, number: number})
		}
		if to := &members[at]; f.list && len(to.values) > 0 {
			to.values = d.value(append(to.values, ','), value, kind, f, depth)
		} else {
			to.values = d.value(to.values[:0], value, kind, f, depth)
		}
	}
	out = append(out, '{')
	for i, one := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendString(out, one.name), ':')
		if one.list {
			out = append(append(append(out, '['), one.values...), ']')
		} else {
			out = append(out, one.values...)
		}
	}
	return append(out, '}')
}

// value appends the value of a field. It fails if the wire type does not fit.
func (d *decoder) value(out, raw []byte, kind protowire.Type, f field, depth int) []byte {
	wanted := map[form]protowire.Type{aNumber: protowire.VarintType, aFlag: protowire.VarintType,
		aTime: protowire.Fixed64Type, aFloat: protowire.Fixed64Type}
	want, other := wanted[f.form]
	if !other {
		want = protowire.BytesType
	}
	if kind != want {
		d.err = errWire
		return out
	}
	switch f.form {
	case aNumber:
		n, _ := protowire.ConsumeVarint(raw)
		return strconv.AppendInt(out, int64(n), 10) // an int64 is in two's complement
	case aFlag:
		n, _ := protowire.ConsumeVarint(raw)
		return strconv.AppendBool(out, n != 0)
	case aTime:
		return append(strconv.AppendUint(append(out, '"'), binary.LittleEndian.Uint64(raw), 10), '"')
	case aFloat:
		n := math.Float64frombits(binary.LittleEndian.Uint64(raw))
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return append(out, "null"...)
		}
		return rawjson.AppendFloat(out, n)
	default:
	}
	inner, _ := protowire.ConsumeBytes(raw)
	switch f.form {
	case anID:
		return rawjson.AppendString(out, hex.EncodeToString(inner))
	case someRaw:
		return rawjson.AppendString(out, base64.StdEncoding.EncodeToString(inner))
	case aText:
		return rawjson.AppendString(out, string(inner))
	default:
	}
	if f.count {
		if d.left--; d.left < 0 {
			d.err = cmp.Or(d.err, errMany)
			return out
		}
	}
	return d.message(out, inner, f.of, depth+1)
}
