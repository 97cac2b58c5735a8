// Command follows checks whether JSON values on standard input match a schema.
//
//	follows <directory of schemas> <name>    # the name as in <name>-1.schema.json
//
// If a value does not match, it prints the fault and exits with 1. It is a program, not a package of the tests, because
// the library adds 3 ms to every start. The test binary of package cmd/git-trace also plays git-trace, and starts
// thousands of times.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: follows <directory of schemas> <name>")
		os.Exit(2)
	}
	if err := follows(os.Args[1], os.Args[2], os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// follows checks all values of a stream.
func follows(dir, name string, values io.Reader) error {
	schema, err := compile(dir, name)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(values)
	decoder.UseNumber()
	for n := 1; ; n++ {
		var value any
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) && n > 1 {
			return nil
		}
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			return fmt.Errorf("value %d: %w", n, err)
		}
	}
}

// compile reads all schemas, because they refer to each other.
func compile(dir, name string) (*jsonschema.Schema, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.schema.json"))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		members, _ := value.(map[string]any)
		id, _ := members["$id"].(string)
		if err := compiler.AddResource(id, value); err != nil {
			return nil, err
		}
	}
	return compiler.Compile("https://github.com/git-trace/git-trace/docs/schema/" + name + "-1.schema.json")
}
