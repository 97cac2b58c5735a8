package stats

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/records/language"
	"github.com/git-trace/git-trace/refs"
)

// Dimension is a property by which lines are grouped.
type Dimension string

// The dimensions.
const (
	Agent     Dimension = "agent"
	Model     Dimension = "model"
	Tool      Dimension = "tool"   // tool of the tool call
	Author    Dimension = "author" // author of the commit
	Day       Dimension = "day"    // day of the author date (UTC)
	Week      Dimension = "week"   // Monday of the week of the author date
	Month     Dimension = "month"  // month of the author date
	Hour      Dimension = "hour"   // hour of the author date, within the week
	Directory Dimension = "directory"
	File      Dimension = "file"
	Language  Dimension = "language"
	Function  Dimension = "function" // function of the file, in the form of git trace track
)

// Dimensions lists all dimensions.
var Dimensions = []Dimension{Agent, Model, Tool, Author, Day, Week, Month, Hour, Directory, File, Language,
	Function}

// Owns reports whether the dimension is a property of the owner. Then people and unknown lines are groups of it.
func (d Dimension) Owns() bool { return d == Agent || d == Model || d == Tool }

// Times reports whether the dimension is a period of time. Then its groups are in order of time.
func (d Dimension) Times() bool { return d == Day || d == Week || d == Month || d == Hour }

// InFiles reports whether the dimension needs the file of a line.
func (d Dimension) InFiles() bool {
	return d == Directory || d == File || d == Language || d == Function
}

// `By` holds the grouping.
type By struct {
	Dimensions []Dimension
	Depth      int // number of path parts of a directory; 0 means one
}

// InFiles reports whether one of the dimensions needs files.
func (b By) InFiles() bool { return slices.ContainsFunc(b.Dimensions, Dimension.InFiles) }

// InFunctions reports whether one of the dimensions needs functions.
func (b By) InFunctions() bool { return b.has(Function) }

func (b By) has(d Dimension) bool { return slices.Contains(b.Dimensions, d) }

// Key identifies a group: a value for each dimension. Nil means unknown, or not applicable.
type Key []*string

func (k Key) id() string {
	var out strings.Builder
	for _, part := range k {
		if part != nil {
			fmt.Fprintf(&out, "%q", *part)
		}
		out.WriteByte(0)
	}
	return out.String()
}

// Group is the set of lines with one key. If a dimension is a property of the owner, all its lines have one kind of
// owner.
type Group struct {
	Key    Key
	Kind   events.OwnerKind // empty if the lines may have any owner
	Lines  Lines
	Traces map[events.TraceID]bool // conversations that wrote some of the lines
	Alive  Alive

	last refs.OID // the last commit that was added
}

// Groups holds groups by key.
type Groups struct {
	By   By
	List []*Group
	at   map[string]*Group
}

// New makes groups without lines.
func New(by By) *Groups { return &Groups{By: by, at: map[string]*Group{}} }

// Take adds the lines of a commit to their groups.
func (g *Groups) Take(c *graph.Commit) {
	if g.By.has(Function) {
		for _, f := range c.Functions {
			who := &c.Contributors[f.Who]
			g.group(c, who, f).add(c, who, f.Lines)
		}
		return
	}
	for i := range c.Contributors {
		who := &c.Contributors[i]
		if g.By.has(Tool) && who.Kind == events.OwnerAI {
			for _, t := range who.Tools {
				g.group(c, who, graph.FunctionLines{ToolLines: t}).add(c, who, t.Lines)
			}
			continue
		}
		if !g.By.InFiles() {
			g.Group(c, who, "").add(c, who, who.Lines)
			continue
		}
		left := who.Lines
		for _, f := range who.Files {
			g.Group(c, who, f.Path).add(c, who, f.Lines)
			left -= f.Lines
		}
		if left > 0 {
			g.Group(c, who, "").add(c, who, left)
		}
	}
}

func (g *Group) add(c *graph.Commit, who *graph.Contributor, lines int) {
	g.Lines.of(who.Kind, lines)
	if g.last != c.ID {
		g.last = c.ID
		g.Lines.Commits++
	}
	if who.Trace != "" {
		g.Traces[who.Trace] = true
	}
}

// Group returns the group for a contributor's lines in a file of a commit. The parameter `file` is empty if unknown.
func (g *Groups) Group(c *graph.Commit, who *graph.Contributor, file string) *Group {
	var in graph.FunctionLines
	in.Path = file
	return g.group(c, who, in)
}

func (g *Groups) group(c *graph.Commit, who *graph.Contributor, in graph.FunctionLines) *Group {
	key := make(Key, len(g.By.Dimensions))
	kind := events.OwnerKind("")
	for i, d := range g.By.Dimensions {
		if d.Owns() {
			kind = who.Kind
		}
		if text := g.By.value(d, c, who, in); text != "" {
			key[i] = &text
		}
	}
	return g.Of(key, kind)
}

func (g *Groups) Of(key Key, kind events.OwnerKind) *Group {
	id := string(kind) + "\x00" + key.id()
	found := g.at[id]
	if found == nil {
		found = &Group{Key: key, Kind: kind, Traces: map[events.TraceID]bool{}}
		g.at[id] = found
		g.List = append(g.List, found)
	}
	return found
}

func (b By) value(d Dimension, c *graph.Commit, who *graph.Contributor, in graph.FunctionLines) string {
	switch d {
	case Agent:
		return who.Agent
	case Model:
		return who.Model
	case Tool:
		return in.Tool
	case Author:
		return c.Author + " <" + c.Mail + ">"
	case Day:
		return DayOf(c.Time)
	case Week:
		return WeekOf(c.Time)
	case Month:
		return MonthOf(c.Time)
	case Hour:
		return HourOf(c.Time)
	case Directory:
		return directory(in.Path, max(b.Depth, 1))
	case File:
		return in.Path
	case Language:
		return LanguageOf(in.Path)
	case Function:
		return in.Function
	}
	return ""
}

// DayOf returns the day of a time, as "2026-11-02" (UTC); empty for a zero time.
func DayOf(t time.Time) string {
	if t.Unix() <= 0 {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// WeekOf returns the Monday of a time's week, as "2026-11-02" (UTC); empty for a zero time.
func WeekOf(t time.Time) string {
	if t.Unix() <= 0 {
		return ""
	}
	t = t.UTC()
	return t.AddDate(0, 0, -(int(t.Weekday())+6)%7).Format(time.DateOnly)
}

// MonthOf returns the month of a time, as "2026-11" (UTC); empty for a zero time.
func MonthOf(t time.Time) string {
	if t.Unix() <= 0 {
		return ""
	}
	return t.UTC().Format("2006-01")
}

// HourOf returns the hour of the week of a time, as "1 Mon 14" (UTC), with Monday as 1; empty for a zero time.
func HourOf(t time.Time) string {
	if t.Unix() <= 0 {
		return ""
	}
	t = t.UTC()
	return strconv.Itoa((int(t.Weekday())+6)%7+1) + t.Format(" Mon 15")
}

// directory returns the directory of a file, cut to depth parts; "." for the top.
func directory(file string, depth int) string {
	if file == "" {
		return ""
	}
	dir := path.Dir(file)
	if dir == "." {
		return dir
	}
	parts := strings.Split(dir, "/")
	return strings.Join(parts[:min(depth, len(parts))], "/") + "/"
}

// Sort sorts periods by time, and other groups by their lines, the most first. Among owners, people and unknown come
// last.
func (g *Groups) Sort() {
	rank := map[events.OwnerKind]int{events.OwnerHuman: 1, events.OwnerOlder: 2, events.OwnerUnknown: 3}
	text := func(p *string) string {
		if p == nil {
			return "\uffff"
		}
		return *p
	}
	slices.SortStableFunc(g.List, func(a, b *Group) int {
		for i, d := range g.By.Dimensions {
			if order := cmp.Compare(text(a.Key[i]), text(b.Key[i])); d.Times() && order != 0 {
				return order
			}
		}
		order := cmp.Or(cmp.Compare(rank[a.Kind], rank[b.Kind]), cmp.Compare(b.Lines.Added, a.Lines.Added))
		for i := range a.Key {
			order = cmp.Or(order, cmp.Compare(text(a.Key[i]), text(b.Key[i])))
		}
		return order
	})
}

// LanguageOf returns the language of a file by its name. For an unknown extension it returns the extension: ".foo". It
// is empty for a name without one.
func LanguageOf(file string) string {
	if found, known := language.Of(file); known {
		return found.Name
	}
	if end := language.End(file); end != "" {
		return "." + end
	}
	return ""
}
