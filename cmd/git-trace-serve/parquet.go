package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/git-trace/git-trace/internal/version"
	"github.com/git-trace/git-trace/records/jsonl"
	"github.com/git-trace/git-trace/records/rawjson"
	"github.com/git-trace/git-trace/serve/dataset/shards"
)

// The limits of a row group. The whole group is in memory.
const (
	groupBytes = 16 << 20 // size of the rows as JSON lines
	groupRows  = 128 << 10
	rowsAtOnce = 256
)

// packing is a request to turn a file of JSON lines into Parquet, one a line of standard input. Each gets one line as
// its answer: empty, or the error.
type packing struct {
	Columns []shards.Column `json:"columns"`
	From    string          `json:"from"`
	To      string          `json:"to"`
}

func packFiles(_ context.Context, _ *answers, _ []string) error {
	asked := json.NewDecoder(os.Stdin)
	for {
		var p packing
		err := asked.Decode(&p)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = p.pack()
		}
		says := ""
		if err != nil {
			says = err.Error()
		}
		if _, err := fmt.Printf("%s\n", strconv.Quote(says)); err != nil {
			return err
		}
	}
}

// pack writes the Parquet file.
func (p *packing) pack() error {
	in, err := os.Open(p.From)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(p.To, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(out, 256<<10)
	err = p.write(in, buffered)
	return errors.Join(err, buffered.Flush(), out.Close())
}

func (p *packing) write(in io.Reader, out io.Writer) error {
	w := parquet.NewWriter(out, schemaOf(p.Columns), parquet.CreatedBy("git-trace", version.Number, ""),
		parquet.Compression(&parquet.Zstd))
	lines := bufio.NewReaderSize(in, 256<<10)
	rows := make([]parquet.Row, 0, rowsAtOnce)
	inGroup, bytes, number := 0, 0, 0
	at := int64(0) // offset of the line
	var walk rawjson.Decoder
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			number++
			row, err := rowOf(p.Columns, &walk, line)
			if err != nil {
				return &jsonl.Fault{Line: number, Offset: at, Err: err}
			}
			at += int64(len(line))
			rows = append(rows, row)
			bytes += len(line)
		}
		full := bytes >= groupBytes || inGroup+len(rows) >= groupRows
		if len(rows) == rowsAtOnce || full || err != nil {
			n, err := w.WriteRows(rows)
			if err != nil {
				return err
			}
			inGroup += n
			clear(rows)
			rows = rows[:0]
		}
		if full {
			if err := w.Flush(); err != nil {
				return err
			}
			inGroup, bytes = 0, 0
		}
		if errors.Is(err, io.EOF) {
			return w.Close()
		}
		if err != nil {
			return err
		}
	}
}

// parquetTypes are the types of columns in Parquet.
var parquetTypes = map[shards.Kind]struct {
	of  reflect.Type
	tag string
}{
	shards.Text:  {reflect.TypeFor[string](), ",optional"},
	shards.Word:  {reflect.TypeFor[string](), ",optional,dict"},
	shards.Int:   {reflect.TypeFor[int64](), ",optional"},
	shards.Real:  {reflect.TypeFor[float64](), ",optional"},
	shards.Bool:  {reflect.TypeFor[bool](), ",optional"},
	shards.Time:  {reflect.TypeFor[int64](), ",optional,timestamp(microsecond)"},
	shards.JSON:  {reflect.TypeFor[string](), ",optional,json"},
	shards.Texts: {reflect.TypeFor[[]string](), ",list"},
}

// schemaOf makes a struct type: for any other type the library sorts the columns by name.
func schemaOf(columns []shards.Column) *parquet.Schema {
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		how := parquetTypes[c.Kind]
		fields[i] = reflect.StructField{Name: "C" + strconv.Itoa(i), Type: how.of,
			Tag: reflect.StructTag(`parquet:"` + c.Name + how.tag + `"`)}
	}
	return parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
}

// errRow reports a line whose columns are not those of the table, in their order.
var errRow = errors.New("not a row of the table")

func rowOf(columns []shards.Column, walk *rawjson.Decoder, line []byte) (parquet.Row, error) {
	row := make(parquet.Row, 0, len(columns))
	walk.Reset(line)
	walk.Open()
	for i, c := range columns {
		if !walk.Member() || string(walk.Key()) != c.Name {
			return nil, errRow
		}
		if c.Kind == shards.Texts {
			row = appendList(row, walk, i)
			continue
		}
		if walk.Kind() == rawjson.Null {
			walk.Skip()
			row = append(row, parquet.NullValue().Level(0, 0, i))
			continue
		}
		value, err := valueOf(c.Kind, walk)
		if err != nil {
			return nil, err
		}
		row = append(row, value.Level(0, 1, i))
	}
	if walk.Member(); walk.Err() != nil {
		return nil, walk.Err()
	}
	return row, nil
}

func appendList(row parquet.Row, walk *rawjson.Decoder, column int) parquet.Row {
	before := len(row)
	walk.OpenArray()
	for walk.Element() {
		repeats := min(len(row)-before, 1)
		row = append(row, parquet.ByteArrayValue([]byte(walk.Text())).Level(repeats, 1, column))
	}
	if len(row) == before {
		row = append(row, parquet.NullValue().Level(0, 0, column))
	}
	return row
}

func valueOf(kind shards.Kind, walk *rawjson.Decoder) (parquet.Value, error) {
	switch kind {
	case shards.Int:
		return parquet.Int64Value(walk.Int()), nil
	case shards.Real:
		return parquet.DoubleValue(walk.Float()), nil
	case shards.Bool:
		return parquet.BooleanValue(walk.Bool()), nil
	case shards.Time:
		at, err := time.Parse(time.RFC3339Nano, walk.Text())
		return parquet.Int64Value(at.UnixMicro()), err
	case shards.JSON:
		return parquet.ByteArrayValue(walk.Raw()), nil
	default:
		return parquet.ByteArrayValue([]byte(walk.Text())), nil
	}
}
