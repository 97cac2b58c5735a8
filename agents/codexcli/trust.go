package codexcli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/git-trace/git-trace/agents/capability"
	"github.com/git-trace/git-trace/agents/hookfile"
	"github.com/git-trace/git-trace/agents/installer"
	"github.com/git-trace/git-trace/agents/userfile"
)

// Codex runs a hook only if the user has allowed exactly this hook. config.toml contains a hash of the hook's
// definition, under a key with the hook's position. If the hook is moved or changed, the user must allow it again.
//
//	[hooks.state."/home/dev/.codex/hooks.json:pre_tool_use:0:0"]
//	trusted_hash = "sha256:…"

// git-trace keeps the consent that it recorded in a marked block.
func trustBlock() userfile.Block { return userfile.Marked("codex-cli") }

// hook is a hook of git-trace as Codex identifies it.
type hook struct{ key, hash string }

// `located` lists git-trace's handlers in the hooks.json of a target.
func (in *Installer) located(target capability.Target) ([]hookfile.Handler, string, error) {
	place, err := in.Place(target)
	if err != nil {
		return nil, "", err
	}
	file, err := userfile.Read(place.Path)
	if err != nil {
		return nil, place.Path, &capability.InstallError{
			Code: capability.CodeSettingsUnreadable, Message: "read " + place.Path, Err: err,
			Hint: "mend the file and try again",
		}
	}
	handlers, err := hookfile.Locate(file.Data, in.client.ours())
	return handlers, place.Path, err
}

// pending returns the hooks that Codex does not run with its current configuration.
func pending(conf *config, path string, handlers []hookfile.Handler) []hook {
	var out []hook
	for _, h := range handlers {
		one := hook{keyOf(path, h), hashOf(h)}
		if trusted, found := conf.get("hooks", "state", one.key, "trusted_hash"); !found || trusted.text != one.hash {
			out = append(out, one)
		}
	}
	return out
}

func keyOf(path string, h hookfile.Handler) string {
	return path + ":" + snake(h.Event) + ":" + strconv.Itoa(h.Group) + ":" + strconv.Itoa(h.Index)
}

func snake(event string) string {
	var out strings.Builder
	for i, r := range event {
		if 'A' <= r && r <= 'Z' {
			if i > 0 {
				out.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}

// defaultTimeout is the limit, in seconds, of a hook for which none is configured.
const defaultTimeout = 600

// hashOf returns the hash by which Codex identifies a hook: the hash of its JSON with sorted keys and without white
// space.
func hashOf(h hookfile.Handler) string {
	type command struct {
		Async   bool   `json:"async"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
		Type    string `json:"type"`
	}
	if h.Timeout == 0 {
		h.Timeout = defaultTimeout
	}
	var canonical bytes.Buffer
	encoder := json.NewEncoder(&canonical)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(struct { // strings and numbers into a buffer: no error is possible
		Event   string    `json:"event_name"`
		Hooks   []command `json:"hooks"`
		Matcher string    `json:"matcher,omitempty"`
	}{snake(h.Event), []command{{h.Async, h.Command, clamp(h.Event, h.Timeout), "command"}}, h.Matcher})
	sum := sha256.Sum256(bytes.TrimSuffix(canonical.Bytes(), []byte("\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Ask describes the consent.
func (in *Installer) Ask(target capability.Target) string {
	place, err := in.Place(target)
	if err != nil {
		return ""
	}
	return "Codex CLI runs no hook until you allow it. git-trace can record in " + configDir(in.client.env) +
		"/config.toml that you allow its own hooks in " + place.Path + ", as they are now."
}

// Allow records the consent.
func (in *Installer) Allow(_ context.Context, target capability.Target) ([]capability.Action, error) {
	conf, err := in.client.readConfig()
	if err != nil {
		return nil, err
	}
	handlers, path, err := in.located(target)
	if err != nil {
		return nil, err
	}
	hooks := pending(&conf, path, handlers)
	if len(hooks) == 0 {
		return nil, nil
	}
	data, err := allow(&conf, hooks)
	if err != nil {
		return nil, err
	}
	if _, _, err := readTOML(string(data)); err != nil {
		return nil, cannotEdit(conf.file.Path)
	}
	return installer.Write(conf.file, data, "allow the hooks of git-trace")
}

// allow adds the hashes to the document: it replaces older hashes, or adds git-trace's block at the end.
func allow(conf *config, hooks []hook) ([]byte, error) {
	doc := slices.Clone(conf.file.Data)
	var fresh []hook
	type edit struct {
		start, end int
		text       string
	}
	var edits []edit
	for _, h := range hooks {
		if old, found := conf.get("hooks", "state", h.key, "trusted_hash"); found {
			edits = append(edits, edit{old.start, old.end, quoteTOML(h.hash)})
		} else if t, found := conf.has("hooks", "state", h.key); found {
			edits = append(edits, edit{t.end, t.end, "\ntrusted_hash = " + quoteTOML(h.hash)})
		} else {
			fresh = append(fresh, h)
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.start - a.start }) // from the end: positions stay valid
	for _, e := range edits {
		doc = slices.Concat(doc[:e.start], []byte(e.text), doc[e.end:])
	}
	if len(fresh) == 0 {
		return doc, nil
	}
	for _, path := range [][]string{{"hooks"}, {"hooks", "state"}} {
		if _, found := conf.get(path...); found {
			return nil, cannotEdit(conf.file.Path)
		}
	}
	inner := bytes.NewBuffer(trustBlock().Inner(doc))
	for _, h := range fresh {
		inner.WriteString("[hooks.state." + quoteTOML(h.key) + "]\ntrusted_hash = " + quoteTOML(h.hash) + "\n")
	}
	doc, err := trustBlock().Put(doc, inner.Bytes())
	if err != nil {
		return nil, cannotEdit(conf.file.Path)
	}
	return doc, nil
}

// withdraw removes the consent for the hooks of a target from the block. It removes the block if that is then empty.
func (in *Installer) withdraw(target capability.Target) ([]capability.Action, error) {
	place, err := in.Place(target)
	if err != nil {
		return nil, err
	}
	conf, err := in.client.readConfig()
	if err != nil {
		return nil, err
	}
	block := trustBlock()
	kept := string(block.Inner(conf.file.Data))
	rest := withoutHooks(kept, place.Path)
	if rest == kept {
		return nil, nil
	}
	data, err := block.Put(conf.file.Data, []byte(rest))
	if rest == "" {
		data, err = block.Take(conf.file.Data)
	}
	if err != nil {
		return nil, err
	}
	return installer.Write(conf.file, data, "no longer allow the hooks of git-trace")
}

// withoutHooks removes the tables of the hooks in one hooks.json. Each table is a header and the line below it.
func withoutHooks(block, path string) string {
	prefix := "[hooks.state." + strings.TrimSuffix(quoteTOML(path), `"`) + ":"
	var out strings.Builder
	skip := false
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, "[") {
			skip = strings.HasPrefix(line, prefix)
		}
		if !skip {
			out.WriteString(line)
		}
	}
	return out.String()
}

func cannotEdit(path string) error {
	return &capability.InstallError{
		Code: capability.CodeSettingsShape, Message: path + " says of hooks what git-trace cannot add to",
		Hint: "allow the hooks in codex with /hooks; nothing was changed",
	}
}
