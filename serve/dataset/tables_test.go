package dataset

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/serve/dataset/shards"
)

var rowTypes = map[string]reflect.Type{
	"conversations": reflect.TypeFor[Conversation](), "prompts": reflect.TypeFor[Prompt](),
	"steps": reflect.TypeFor[Step](),
	"calls": reflect.TypeFor[Call](), "patches": reflect.TypeFor[Patch](), "commits": reflect.TypeFor[Commit](),
	"lines": reflect.TypeFor[Line](), "lives": reflect.TypeFor[Life](),
}

// A new column of text has to say what becomes of it where nobody shall be named.
func TestEveryTextSaysWhetherItNamesAnybody(t *testing.T) {
	t.Parallel()
	for _, table := range Tables() {
		for _, column := range table.Columns {
			field := fieldOf(t, rowTypes[table.Name], column.Name)
			switch how := field.Tag.Get("anon"); column.Kind {
			case shards.Text, shards.Word, shards.Texts, shards.JSON:
				if !regexp.MustCompile(`^(keep|id|name|path|drop)$`).MatchString(how) {
					t.Errorf("%s.%s says %q", table.Name, column.Name, how)
				}
			default:
				if how != "" {
					t.Errorf("%s.%s is no text", table.Name, column.Name)
				}
			}
		}
	}
}

func fieldOf(t *testing.T, row reflect.Type, name string) reflect.StructField {
	t.Helper()
	for field := range row.Fields() {
		if field.Tag.Get("json") == name {
			return field
		}
	}
	t.Fatalf("%s has no column %s", row, name)
	return reflect.StructField{}
}

var kindNames = map[shards.Kind]string{
	shards.Text: "text", shards.Word: "text", shards.Int: "integer", shards.Real: "number", shards.Bool: "boolean",
	shards.Time: "time", shards.JSON: "JSON", shards.Texts: "list of text",
}

// Columns are what people write queries against: the page lists them, in their order.
func TestTheColumnsAreThoseOfThePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/datasets.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^- (`\\w+`(?:, `\\w+`)*) \\(([\\w ]+)\\)")
	for _, table := range Tables() {
		_, section, found := strings.Cut(string(page), "\n### "+table.Name+"\n")
		if !found {
			t.Errorf("the page has no section %s", table.Name)
		}
		section, _, _ = strings.Cut(section, "\n### ")
		have, want := []string{"repo text", "month text", "agent text"}, []string(nil)
		for _, m := range rows.FindAllStringSubmatch(section, -1) {
			for name := range strings.SplitSeq(m[1], ", ") {
				have = append(have, strings.Trim(name, "`")+" "+m[2])
			}
		}
		for _, column := range table.Columns {
			want = append(want, column.Name+" "+kindNames[column.Kind])
		}
		if !reflect.DeepEqual(have, want) {
			t.Errorf("%s: the page has\n%v\nand the table\n%v", table.Name, have, want)
		}
		for _, name := range Partitions {
			fieldOf(t, rowTypes[table.Name], name)
		}
	}
}

func TestOneKeyGivesOneHash(t *testing.T) {
	t.Parallel()
	a, b := NewAnonymiser([]byte("one")), NewAnonymiser([]byte("other"))
	first := &Line{Repo: "r", Commit: "c", Path: new("src/a.go"), Author: "A"}
	second := &Life{Repo: "r", Commit: "c", Path: "src/b.go"}
	a.Row(first)
	a.Row(second)
	dir, _, _ := strings.Cut(*first.Path, "/")
	if first.Repo != second.Repo || first.Commit != second.Commit || second.Path == *first.Path ||
		!strings.HasPrefix(second.Path, dir+"/") {
		t.Errorf("%+v %+v", first, second)
	}
	if first.Repo == b.Hash("name", "r") || first.Author == a.Hash("name", "B") || first.Author != a.Hash("name", "A") {
		t.Error("a hash is not that of its key and name")
	}
	if top := a.path("a.go"); strings.HasSuffix(*first.Path, top) {
		t.Error("a name says where else it is")
	}
}
