package project

import (
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// eachKey calls the function `take` for each key of a TOML document, with the names of the tables above it. These names
// may come from a header, from the key itself or from inline tables. It stops at an error, because the document may be
// only a part.
func eachKey(content string, take func(path []string, value *unstable.Node)) {
	var parser unstable.Parser
	parser.Reset([]byte(content))
	var header []string
	for parser.NextExpression() {
		switch e := parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			header = keyOf(e)
			take(header, nil)
		case unstable.KeyValue:
			eachBelow(header, e, take)
		}
	}
}

func eachBelow(above []string, e *unstable.Node, take func([]string, *unstable.Node)) {
	path := slices.Concat(above, keyOf(e))
	value := e.Value()
	take(path, value)
	if value.Kind != unstable.InlineTable {
		return
	}
	for inner := value.Children(); inner.Next(); {
		eachBelow(path, inner.Node(), take)
	}
}

func keyOf(e *unstable.Node) []string {
	var path []string
	for key := e.Key(); key.Next(); {
		path = append(path, string(key.Node().Data))
	}
	return path
}

// `below` returns the name directly below the given tables, "" elsewhere; "*" matches any table.
func below(path []string, tables ...string) string {
	if len(path) <= len(tables) {
		return ""
	}
	for i, table := range tables {
		if table != "*" && path[i] != table {
			return ""
		}
	}
	return path[len(tables)]
}

func fromCargo(content string) []string {
	var names []string
	eachKey(content, func(path []string, _ *unstable.Node) {
		for _, tables := range [][]string{{"dependencies"}, {"dev-dependencies"}, {"workspace", "dependencies"}} {
			names = appendNew(names, plainName(below(path, tables...)))
		}
	})
	return names
}

// fromPyproject returns the dependencies in the list of PEP 621 and in the tables of Poetry.
func fromPyproject(content string) []string {
	var names []string
	eachKey(content, func(path []string, value *unstable.Node) {
		for _, tables := range [][]string{{"tool", "poetry", "dependencies"},
			{"tool", "poetry", "group", "*", "dependencies"}} {
			if name := plainName(below(path, tables...)); name != "python" {
				names = appendNew(names, name)
			}
		}
		if value == nil || value.Kind != unstable.Array || strings.TrimPrefix(strings.Join(path, "."),
			"project.") != "dependencies" {
			return
		}
		for entries := value.Children(); entries.Next(); {
			names = appendNew(names, pythonName(string(entries.Node().Data)))
		}
	})
	return names
}

func appendNew(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return appendName(names, name)
}
