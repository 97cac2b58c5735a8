package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-trace/git-trace/internal/numbers"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/serve/dataset/shards"
)

// cardName is the file name that hubs expect for the description of a data set.
const cardName = "README.md"

// These marks enclose the generated part. The rest of the page and its licence belong to people, and are kept. New
// tables are added.
const (
	cardBegin = "<!-- figures by git-trace: made anew by each export -->"
	cardEnd   = "<!-- end of figures -->"
	noLicence = "license: unknown # publishing is yours to decide: name a licence here"
)

// about describes a row of each table.
var about = map[string]string{
	"conversations": "a conversation with an agent: tokens, cost, outcome",
	"prompts":       "a prompt, with its text where it is kept",
	"steps":         "a prompt or an answer of a record, with its text and tokens",
	"calls":         "a call of a tool, with its result",
	"patches":       "a hunk that hooks saw come",
	"commits":       "a commit, with the lines that it added",
	"lines":         "lines that a commit added, with their owner",
	"lives":         "how long lines lived in the first-parent history",
}

// Card writes the description of a data set into its directory. Its figures cover all repositories in it.
func Card(dir, ext string, anonymous bool) error {
	totals, err := shards.ReadTotals(dir)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, cardName)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	figures := cardFigures(totals, anonymous)
	var text string
	before, rest, marked := bytes.Cut(old, []byte(cardBegin))
	_, after, ended := bytes.Cut(rest, []byte(cardEnd))
	switch {
	case marked && ended:
		text = withTables(string(before), ext, totals) + figures + string(after)
	case len(old) > 0: // the page was not made by Card
		return nil
	default:
		text = withTables(cardHead, ext, totals) + figures + cardTail
	}
	return refs.WriteFileAtomic(path, []byte(text), 0o644)
}

// withTables adds the tables that have files to the head of the page. Hubs reject a table without files.
func withTables(head, ext string, totals *shards.Totals) string {
	const list = "\nconfigs:\n"
	for _, t := range slices.Backward(Tables()) {
		name := "- config_name: " + t.Name + "\n"
		if sum := totals.Tables[t.Name]; sum != nil && sum.Files > 0 && !strings.Contains(head, name) {
			files := fmt.Sprintf("  data_files: \"%s/**/*.%s\"\n", t.Name, ext)
			head = strings.Replace(head, list, list+name+files, 1)
		}
	}
	return head
}

func cardFigures(totals *shards.Totals, anonymous bool) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\n%s.\n\n| table | a row is | rows | files | bytes |\n| --- | --- | ---: | ---: | ---: |\n",
		cardBegin, numbers.Count(int(totals.Writers), "repository"))
	for _, t := range Tables() {
		sum := totals.Tables[t.Name]
		if sum == nil {
			sum = &shards.Sum{}
		}
		fmt.Fprintf(&out, "| `%s` | %s | %d | %d | %d |\n", t.Name, about[t.Name], sum.Rows, sum.Files, sum.Bytes)
	}
	out.WriteString("\n")
	if anonymous {
		out.WriteString("The last export put keyed hashes in the place of repositories, people, paths and ids, " +
			"and left texts out.\n\n")
	}
	out.WriteString(cardEnd)
	return out.String()
}

const cardHead = "---\n" + noLicence + `
pretty_name: Work of coding agents, recorded by git-trace
tags:
- coding-agents
- provenance
- git
configs:
---

# Work of coding agents

Tables made by ` + "`git trace export`" + `. Each file in ` + "`_manifest`" + ` lists the files of one repository.

`

const cardTail = `

## What is in it

Texts are redacted: secrets and names of people were taken out by rules. Rules miss things. Look before you publish.
Lines that nobody saw come are unknown, never an agent's. The columns, and queries for DuckDB, are described in
git-trace's docs/datasets.md and docs/fleet.md.
`
