package figures

import (
	"cmp"
	"maps"
	"slices"

	"github.com/git-trace/git-trace/events"
	"github.com/git-trace/git-trace/graph"
	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/report/stats"
	"github.com/git-trace/git-trace/view"
)

// Schema names the form of the JSON output; docs/schema/stats-1.schema.json describes it.
const Schema = "git-trace.stats/1"

// AuthorLines counts the lines of an author's commits.
type AuthorLines struct {
	Author string `json:"author"`
	Mail   string `json:"mail"`
	stats.Lines
}

// AgentLines counts the lines of an agent. The agents add up to the lines of all agents.
type AgentLines struct {
	Agent         string `json:"agent"` // empty if several agents could have written the lines
	Conversations int    `json:"conversations"`
	Lines         int    `json:"lines"`

	traces map[events.TraceID]bool
}

// ModelUse is the use of a model. All models, with the unknown part, add up to the tokens.
type ModelUse struct {
	Model         string `json:"model"` // empty if unknown
	Conversations int    `json:"conversations"`
	Answers       int    `json:"answers"`
	Tokens
}

// Tokens holds four numbers that do not overlap.
type Tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

func (t *Tokens) add(o Tokens) {
	t.Input += o.Input
	t.Output += o.Output
	t.CacheRead += o.CacheRead
	t.CacheWrite += o.CacheWrite
}

func (t Tokens) Sum() int64 { return t.Input + t.Output + t.CacheRead + t.CacheWrite }

// Costs sums up the costs of conversations, each once: by the price table or, if a price is missing, by its client's
// figure.
type Costs struct {
	USD        float64  `json:"usd"`    // cost of all conversations with a known cost
	Priced     int      `json:"priced"` // number of these conversations
	Unknown    int      `json:"unknown"`
	ClientUSD  float64  `json:"client_usd"` // the part of usd that comes from clients
	ByClient   int      `json:"by_client"`  // number of conversations with a client's figure
	PricesAsOf []string `json:"prices_as_of"`
}

func (c *Costs) add(u *view.Usage) {
	if u.CostUSD == nil {
		c.Unknown++
		return
	}
	c.USD += *u.CostUSD
	c.Priced++
	if u.CostBy == records.CostByClient {
		c.ClientUSD += *u.CostUSD
		c.ByClient++
	}
	if at, seen := slices.BinarySearch(c.PricesAsOf, u.PricesAsOf); u.PricesAsOf != "" && !seen {
		c.PricesAsOf = slices.Insert(c.PricesAsOf, at, u.PricesAsOf)
	}
}

// Stats is the answer of git trace stats --json: all figures of lines and of conversations.
type Stats struct {
	Schema        string        `json:"schema"`
	Range         []string      `json:"range"` // range as the user typed it
	Now           bool          `json:"now"`   // counts the lines of one revision, not the lines that commits added
	Lines         stats.Lines   `json:"lines"`
	Authors       []AuthorLines `json:"authors"`
	Agents        []AgentLines  `json:"agents"`
	Conversations struct {
		Count    int `json:"count"`
		Recorded int `json:"recorded"` // conversations with a record
		Prompts  int `json:"prompts"`
		Calls    int `json:"calls"`
		Steps    int `json:"steps"` // only of conversations with a record, as tokens and cost

		Known bool `json:"-"` // the calls of at least one conversation are known
	} `json:"conversations"`
	Tokens Tokens     `json:"tokens"`
	Cost   Costs      `json:"cost"`
	Models []ModelUse `json:"models"`
	Waste  *Waste     `json:"waste"` // null unless requested
	// `By` lists the dimensions of Groups. The lines of the groups add up to Lines.
	By     []stats.Dimension `json:"by"`
	Groups []Counted         `json:"groups"`
}

// Sums holds the figures while they are counted.
type Sums struct {
	Stats
	Grouped  *stats.Groups
	Accept   bool // also count what happened to agents' lines
	held     held
	accepted map[*stats.Group]*Accepted
	charged  map[*stats.Group]*charges // use of conversations, by group
	Survival bool                      // survival was counted
	traces   map[events.TraceID]bool
	authors  map[[2]string]int // index of each author in the list
	agents   map[string]int
}

// New returns empty sums. The parameter `named` is the range as the user typed it.
func New(named []string, by stats.By) *Sums {
	return &Sums{
		Stats: Stats{
			Schema: Schema, Range: append([]string{}, named...), Authors: []AuthorLines{}, Agents: []AgentLines{},
			Models: []ModelUse{}, Cost: Costs{PricesAsOf: []string{}}, Groups: []Counted{},
		},
		traces: map[events.TraceID]bool{}, Grouped: stats.New(by), authors: map[[2]string]int{}, agents: map[string]int{},
		held: held{map[origin]int{}, map[events.PatchID]int{}},
	}
}

// Add adds the lines of a commit.
func (s *Sums) Add(c *graph.Commit) {
	s.Grouped.Take(c)
	s.Lines.Add(c)
	s.held.add(c)
	key := [2]string{c.Author, c.Mail}
	at, known := s.authors[key]
	if !known {
		at = len(s.Authors)
		s.authors[key] = at
		s.Authors = append(s.Authors, AuthorLines{Author: c.Author, Mail: c.Mail})
	}
	s.Authors[at].Add(c)
	for _, who := range c.Contributors {
		if who.Kind != events.OwnerAI {
			continue
		}
		at, known := s.agents[who.Agent]
		if !known {
			at = len(s.Agents)
			s.agents[who.Agent] = at
			s.Agents = append(s.Agents, AgentLines{Agent: who.Agent, traces: map[events.TraceID]bool{}})
		}
		s.Agents[at].Lines += who.Lines
		if who.Trace != "" {
			s.Agents[at].traces[who.Trace] = true
			s.traces[who.Trace] = true
		}
	}
}

// order sorts authors and agents by their lines, the most first.
func (s *Sums) order() {
	for i := range s.Agents {
		s.Agents[i].Conversations = len(s.Agents[i].traces)
	}
	slices.SortFunc(s.Authors, func(a, b AuthorLines) int {
		return cmp.Or(cmp.Compare(b.Added, a.Added), cmp.Compare(b.Commits, a.Commits), cmp.Compare(a.Author, b.Author),
			cmp.Compare(a.Mail, b.Mail))
	})
	slices.SortFunc(s.Agents, func(a, b AgentLines) int {
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), cmp.Compare(a.Agent, b.Agent))
	})
}

// `counted` returns the conversations to count: all known ones if `whole` is set, otherwise the conversations that
// wrote lines of the commits.
func (s *Sums) counted(known *view.Reader, whole bool) ([]view.Conversation, error) {
	if whole {
		return known.Conversations()
	}
	out := make([]view.Conversation, 0, len(s.traces))
	for _, id := range slices.Sorted(maps.Keys(s.traces)) {
		c, found, err := known.Conversation(id)
		if err != nil {
			return nil, err
		}
		if found {
			out = append(out, c)
		}
	}
	return out, nil
}

// AddConversations adds the use of conversations after all commits, and makes the groups. If `whole` is set, it takes
// all known conversations, otherwise the conversations that wrote lines of the commits.
func (s *Sums) AddConversations(known *view.Reader, whole bool) error {
	counted, err := s.counted(known, whole)
	if err != nil {
		return err
	}
	s.order()
	models := map[string]int{}
	use := func(name string, answers int, t Tokens) {
		at, known := models[name]
		if !known {
			at = len(s.Models)
			models[name] = at
			s.Models = append(s.Models, ModelUse{Model: name})
		}
		s.Models[at].Conversations++
		s.Models[at].Answers += answers
		s.Models[at].add(t)
	}
	for i := range counted {
		c := &counted[i]
		s.Conversations.Count++
		s.Conversations.Prompts += c.Prompts
		s.Conversations.Calls += c.Calls
		s.Conversations.Known = s.Conversations.Known || c.CallsKnown()
		s.charge(c)
		u := c.Usage
		if u == nil {
			continue
		}
		s.Conversations.Recorded++
		s.Conversations.Steps += u.Steps
		s.Cost.add(u)
		rest := Tokens{u.Input, u.Output, u.CacheRead, u.CacheWrite}
		s.Tokens.add(rest)
		for _, m := range u.Models {
			t := Tokens{m.Input, m.Output, m.CacheRead, m.CacheWrite}
			use(m.Model, m.Steps, t)
			rest.add(Tokens{-t.Input, -t.Output, -t.CacheRead, -t.CacheWrite})
		}
		if rest != (Tokens{}) { // the agent gives only a total, or one larger than the sum of its steps
			use("", 0, rest)
		}
	}
	slices.SortFunc(s.Models, func(a, b ModelUse) int {
		return cmp.Or(cmp.Compare(b.Sum(), a.Sum()),
			cmp.Compare(a.Model, b.Model))
	})
	if s.Accept && whole && s.ByWriter() {
		if err := s.accept(known); err != nil {
			return err
		}
	}
	s.group()
	return nil
}
