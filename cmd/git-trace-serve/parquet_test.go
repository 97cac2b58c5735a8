package main

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/git-trace/git-trace/serve/dataset/shards"
)

var everyKind = []shards.Column{
	{Name: "zulu", Kind: shards.Text}, {Name: "word", Kind: shards.Word}, {Name: "n", Kind: shards.Int},
	{Name: "x", Kind: shards.Real}, {Name: "yes", Kind: shards.Bool}, {Name: "at", Kind: shards.Time},
	{Name: "raw", Kind: shards.JSON}, {Name: "list", Kind: shards.Texts},
}

func TestParquetHoldsWhatTheLinesSay(t *testing.T) {
	t.Parallel()
	const line = `{"zulu":"a\né","word":"w","n":-3,"x":0.25,"yes":true,"at":"2026-11-02T03:04:05.000006Z","raw":{"k":[1, "b"]},"list":["p","q"]}` + "\n"
	const nulls = `{"zulu":null,"word":null,"n":null,"x":null,"yes":null,"at":null,"raw":null,"list":[]}` + "\n"
	in := strings.Repeat(line+nulls, 3000)
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := (&packing{Columns: everyKind}).write(strings.NewReader(in), out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same lines give two files")
	}
	file, err := parquet.OpenFile(bytes.NewReader(first.Bytes()), int64(first.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if file.NumRows() != 6000 {
		t.Errorf("%d rows", file.NumRows())
	}
	var names []string
	for _, field := range file.Schema().Fields() {
		names = append(names, field.Name())
	}
	if got := strings.Join(names, " "); got != "zulu word n x yes at raw list" {
		t.Errorf("columns %s", got)
	}
	reader := parquet.NewReader(file)
	rows := make([]parquet.Row, 2)
	if _, err := reader.ReadRows(rows); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range rows[0] {
		got = append(got, v.String())
	}
	if text := strings.Join(got, "|"); text != `a`+"\n"+`é|w|-3|0.25|true|1793588645000006|{"k":[1, "b"]}|p|q` {
		t.Errorf("%q", text)
	}
	for i, v := range rows[1] {
		if !v.IsNull() {
			t.Errorf("column %d is %v", i, v)
		}
	}
}

func TestLinesOfAnotherTableAreRefused(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"a column is missing": `{"zulu":"a","n":1}`, "another order": `{"word":"w","zulu":"a"}`, "cut off": `{"zulu":"a","wo`,
		"no object": `[1]`, "nothing": "\n", "no time": `{"zulu":"","word":"","n":1,"x":1,"yes":true,"at":"yesterday","raw":1,"list":[]}`,
	} {
		var out bytes.Buffer
		err := (&packing{Columns: everyKind}).write(strings.NewReader(line), &out)
		if err == nil || !strings.HasPrefix(err.Error(), "line 1, byte ") {
			t.Errorf("%s: %v", name, err)
		}
		if name == "another order" && !errors.Is(err, errRow) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// All tables of an export are packed by one program, and end files at the same time.
func TestTablesThatEndManyFilesArePackedOneByOne(t *testing.T) {
	program, dir := built(t)
	repo := filepath.Join(dir, "repo")
	makeFleetRepo(t, repo, 7, 20, 400)
	(&fleet{t: t, program: program}).run(repo, "import", "--from", "opentraces", filepath.Join(repo, ".git", "said.jsonl"))
	for _, size := range []string{"20", "3000"} {
		said := map[string]string{}
		for _, format := range []string{"jsonl", "parquet"} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			cmd := exec.CommandContext(ctx, program, "export", "--format", format, "--shard-size", size,
				filepath.Join(dir, format+size))
			cmd.Dir = repo
			out, err := cmd.CombinedOutput()
			cancel()
			if err != nil {
				t.Fatalf("%s in files of %s: %v: %s", format, size, err, out)
			}
			_, rows, _ := strings.Cut(string(out), ": ")
			said[format] = rows
		}
		if said["parquet"] != said["jsonl"] || said["jsonl"] == "" {
			t.Errorf("in files of %s: %q", size, said)
		}
	}
}
