package assemble

import (
	"encoding/base64"
	"encoding/binary"
	"slices"

	"github.com/git-trace/git-trace/records"
	"github.com/git-trace/git-trace/refs/codec"
)

// tree holds the parent of each step of the main conversation: the previous step in the model's history. If a person
// goes back to an earlier point, the tree has a fork there. For a session file whose lines have no parents, the tree is
// a chain, unless the file says that steps were undone.
type tree struct {
	nodes []node
	lines []int32 // the node of each line, in the order of state.seen
	at    int32   // the parent of the next node; 0 for none
	leaf  int32   // the conversation's current node
}

// node is a step of the main conversation. Nodes are numbered from 1 in the order of their lines.
type node struct {
	parent, step int32 // step is 0 until the step is passed on
	prompt       bool
	taken        bool // the session file says that it was undone
}

// treeMark is the state of the tree before a line.
type treeMark struct {
	nodes    int
	at, leaf int32
}

func (t *tree) mark() treeMark { return treeMark{len(t.nodes), t.at, t.leaf} }

// plant adds a node at the current position of the conversation.
func (t *tree) plant() int32 {
	t.nodes = append(t.nodes, node{parent: t.at})
	t.at = int32(len(t.nodes))
	t.leaf = t.at
	return t.at
}

// node returns the node with a number; nil if there is none.
func (t *tree) node(n int32) *node {
	if n < 1 || int(n) > len(t.nodes) {
		return nil
	}
	return &t.nodes[n-1]
}

// `settle` records the node of each line up to the n-th.
func (t *tree) settle(n int) {
	for len(t.lines) < n {
		t.lines = append(t.lines, t.at)
	}
}

// Hang sets the parent of the last started line, by its id; "" means no parent. If the parent is unknown, because it
// could not be read, the position stays unchanged.
func (c *Conversation) Hang(parent string) {
	if c.parent != nil {
		return
	}
	if parent == "" {
		c.state.tree.at = 0
		return
	}
	if n, known := c.lineNode(parent); known {
		c.state.tree.at = n
	}
}

func (c *Conversation) lineNode(id string) (int32, bool) {
	i, known := c.state.seen.set[hashID(id)]
	if !known || int(i) >= len(c.state.tree.lines) {
		return 0, false
	}
	return c.state.tree.lines[i], true
}

// Back records that the user undid the step of a line and all later steps.
func (c *Conversation) Back(id string) {
	t := &c.state.tree
	if n, known := c.lineNode(id); known && t.node(n) != nil {
		t.back(t.node(n).parent)
	}
}

// BackTurns undoes the last prompts, with the steps after each of them.
func (c *Conversation) BackTurns(prompts int64) {
	t := &c.state.tree
	to := t.at
	for n := t.node(to); n != nil && prompts > 0; n = t.node(to) {
		if n.prompt {
			prompts--
		}
		to = n.parent
	}
	t.back(to)
}

// `back` goes back to a node. The nodes after it count as undone.
func (t *tree) back(to int32) {
	for n := t.node(t.at); n != nil && t.at != to; n = t.node(t.at) {
		n.taken = true
		t.at = n.parent
	}
	t.at, t.leaf = to, to
}

// branches finds the steps that were undone. At each fork, the conversation continues on the path to its current node,
// or else to the newest line. The other path is a branch if the file says so, or if either path begins with a prompt.
// An answer that a client requested twice is not a branch.
func (t *tree) branches() []records.Branch {
	heirs := t.heirs()
	chain := make([]*records.Branch, len(t.nodes)+1) // the branch of each undone node
	var found []*records.Branch
	for i := range t.nodes {
		n, number := &t.nodes[i], int32(i+1)
		branch := chain[n.parent]
		if heirs[n.parent] != number && n.begins(t.node(heirs[n.parent]), branch != nil) {
			branch = &records.Branch{From: t.stepAt(n.parent)}
			found = append(found, branch)
		}
		chain[number] = branch
		if branch != nil && n.step > 0 {
			branch.Steps = append(branch.Steps, int(n.step))
		}
	}
	var out []records.Branch
	for _, one := range found {
		if len(one.Steps) > 0 {
			out = append(out, *one)
		}
	}
	return out
}

// `begins` reports whether a node begins a branch. The parameter `heir` is the node with which the conversation
// continues instead.
func (n *node) begins(heir *node, within bool) bool {
	return within || n.taken || n.parent != 0 && heir != nil && (n.prompt || heir.prompt)
}

// heirs returns, for each node, the node with which the conversation continues.
func (t *tree) heirs() []int32 {
	newest := make([]int32, len(t.nodes)+1)
	heirs := make([]int32, len(t.nodes)+1)
	if t.leaf > 0 {
		newest[t.leaf] = int32(len(t.nodes) + 1)
	}
	for i, n := range slices.Backward(t.nodes) {
		number := int32(i + 1)
		newest[number] = max(newest[number], number)
		if newest[number] > newest[n.parent] {
			newest[n.parent], heirs[n.parent] = newest[number], number
		}
	}
	return heirs
}

// stepAt returns the number of the step at a node, or of its nearest ancestor that has one.
func (t *tree) stepAt(number int32) int {
	for n := t.node(number); n != nil; n = t.node(n.parent) {
		if n.step > 0 {
			return int(n.step)
		}
	}
	return 0
}

// packedTree is a tree as it is stored in a cursor.
type packedTree struct {
	Nodes string `json:"nodes,omitempty"` // parents, steps and flags
	Lines string `json:"lines,omitempty"`
	At    int32  `json:"at,omitempty"`
	Leaf  int32  `json:"leaf,omitempty"`
}

// pack encodes the tree at a mark, with the nodes of the first lines. It stores differences, because neighbours differ
// little.
func (t *tree) pack(m treeMark, lines int) packedTree {
	var nodes, of []byte
	step := int64(0)
	for i, n := range t.nodes[:m.nodes] {
		nodes = binary.AppendVarint(nodes, int64(i)-int64(n.parent))
		nodes = binary.AppendVarint(nodes, (int64(n.step)-step)<<2|flags(n))
		step = int64(n.step)
	}
	before := int64(0)
	t.settle(lines)
	for _, n := range t.lines[:lines] {
		of = binary.AppendVarint(of, int64(n)-before)
		before = int64(n)
	}
	return packedTree{base64.RawStdEncoding.EncodeToString(nodes), base64.RawStdEncoding.EncodeToString(of), m.at, m.leaf}
}

func flags(n node) (f int64) {
	if n.prompt {
		f = 1
	}
	if n.taken {
		f |= 2
	}
	return f
}

// unpack decodes a tree with this number of lines.
func (p packedTree) unpack(lines int) (tree, bool) {
	nodes, err := base64.RawStdEncoding.DecodeString(p.Nodes)
	of, errLines := base64.RawStdEncoding.DecodeString(p.Lines)
	if err != nil || errLines != nil {
		return tree{}, false
	}
	t := tree{at: p.At, leaf: p.Leaf}
	step := int64(0)
	for r := (codec.Reader{In: string(nodes)}); r.In != ""; {
		parent, change := int64(len(t.nodes))-r.Varint(), r.Varint()
		step += change >> 2
		if parent < 0 || parent > int64(len(t.nodes)) || step < 0 || step > 1<<30 {
			return tree{}, false
		}
		t.nodes = append(t.nodes, node{parent: int32(parent), step: int32(step), prompt: change&1 != 0, taken: change&2 != 0})
	}
	n := int64(0)
	for r := (codec.Reader{In: string(of)}); r.In != ""; {
		if n += r.Varint(); n < 0 || n > int64(len(t.nodes)) {
			return tree{}, false
		}
		t.lines = append(t.lines, int32(n))
	}
	sound := func(n int32) bool { return n >= 0 && int(n) <= len(t.nodes) }
	return t, sound(t.at) && sound(t.leaf) && len(t.lines) == lines
}
