package sqlitefile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents/sqlitefile"
)

// data is what the row of a number holds in the databases, which SQLite 3.40 wrote with pages of 512 bytes.
func data(i int) string { return strings.Repeat(fmt.Sprintf("line %d\n", i), i*37%80) }

// plain.db holds what wal.db and its log hold together. The log ends in frames of a transaction without a commit.
func TestEveryRowIsReadFromPagesAndLog(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain.db", "wal.db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := sqlitefile.Open(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			table, found, err := db.Table("rows")
			if err != nil || !found {
				t.Fatal(found, err)
			}
			id, n, odd, content := table.Column("id"), table.Column("n"), table.Column("odd, name"), table.Column("data")
			if id != 0 || n != 1 || odd != 2 || content != 3 || table.Column("nothing") != -1 {
				t.Fatal(id, n, odd, content)
			}
			seen := 0
			err = table.Each(func(row *sqlitefile.Row) error {
				name, err := row.Text(id)
				number, err2 := row.Int(n)
				mark, err3 := row.Text(odd)
				text, err4 := row.Text(content)
				if err := errors.Join(err, err2, err3, err4); err != nil {
					return err
				}
				wantName, wantNumber, wantMark, wantText := expected(seen)
				if name != wantName || number != wantNumber || mark != wantMark || text != wantText {
					t.Errorf("row %d: %s, %d, %q, %d bytes; want %s, %d, %q, %d bytes",
						seen, name, number, mark, len(text), wantName, wantNumber, wantMark, len(wantText))
				}
				seen++
				again, err := table.Row(row.ID)
				if err != nil || again == nil {
					t.Fatalf("row %d is not found: %v", row.ID, err)
				}
				if other, err := again.Text(id); err != nil || other != name {
					t.Errorf("row %d is found as %s, %v", row.ID, other, err)
				}
				return nil
			})
			if row, err := table.Row(8); err != nil || row != nil { // id7, the eighth that came
				t.Errorf("a row that was deleted: %v, %v", row, err)
			}
			if err != nil || seen != 300 {
				t.Errorf("%d rows, %v", seen, err)
			}
		})
	}
}

// expected is the row at a place: row 7 was deleted, row 0 changed, one came in the end.
func expected(at int) (name string, number int64, mark, text string) {
	if at == 299 {
		return "late", 42, "y", strings.Repeat(data(299), 3)
	}
	i := at
	if i >= 7 {
		i++
	}
	number = int64(i) * int64(i) * int64(i)
	if i%2 == 1 {
		number = -number
	}
	if i%3 == 0 {
		mark = "x"
	}
	if text = data(i); i == 0 {
		text = "changed"
	}
	return fmt.Sprintf("id%d", i), number, mark, text
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	db, err := sqlitefile.Open(filepath.Join("testdata", "plain.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, found, err := db.Table("nothing"); found || err != nil {
		t.Errorf("a table that is not there: %v, %v", found, err)
	}
	if _, _, err := db.Table("keyed"); !errors.Is(err, sqlitefile.ErrFormat) {
		t.Errorf("a table without row ids: %v", err)
	}
	for name, content := range map[string]string{"empty": "", "text": strings.Repeat("x", 4096), "header only": sqlitefile.Magic} {
		path := filepath.Join(t.TempDir(), "x.db")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := sqlitefile.Open(path); !errors.Is(err, sqlitefile.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := sqlitefile.Open(filepath.Join(t.TempDir(), "missing.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

// Whatever stands in the two files, reading ends, with an error or without.
func FuzzDatabase(f *testing.F) {
	for _, name := range []string{"plain.db", "wal.db"} {
		main, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		log, _ := os.ReadFile(filepath.Join("testdata", name+"-wal"))
		f.Add(main[:8192], log[:min(len(log), 8192)])
	}
	f.Fuzz(func(t *testing.T, main, log []byte) {
		path := filepath.Join(t.TempDir(), "fuzz.db")
		if err := errors.Join(os.WriteFile(path, main, 0o600), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
			t.Fatal(err)
		}
		db, err := sqlitefile.Open(path)
		if err != nil {
			return
		}
		defer func() { _ = db.Close() }()
		table, found, err := db.Table("rows")
		if err != nil || !found {
			return
		}
		_ = table.Each(func(row *sqlitefile.Row) error { // an error is as good as none
			_, err := row.Text(table.Column("data"))
			return err
		})
	})
}
