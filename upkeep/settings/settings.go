package settings

import (
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/hooks/runner"
	"github.com/git-trace/git-trace/internal/cells"
	"github.com/git-trace/git-trace/internal/exit"
	"github.com/git-trace/git-trace/internal/terminal"
	"github.com/git-trace/git-trace/refs"
	"github.com/git-trace/git-trace/refs/recorded"
	"github.com/git-trace/git-trace/sharing"
	"github.com/git-trace/git-trace/upkeep/keeping"
)

// Setting is a key of git's configuration that git-trace reads. Takes is the form of its values. A setting without a
// form takes any text, or is checked where it is used.
type Setting struct {
	Key, Default, Means string
	Takes               Form
}

// Form is the form of a setting's value. The first three forms are git's types (git-config(1), --type).
type Form string

const (
	aTruth  Form = "bool"
	aNumber Form = "int"
	aDate   Form = "expiry-date"
	anAgent Form = "agent"
	aLevel  Form = "level"
)

// `All` lists all settings. docs/settings.md and the manual are generated from it.
var All = []Setting{
	{"advice.traceSigns", "true", "false: blame does not explain its signs on the terminal", aTruth},
	{"trace.allowAdopt", "false", "true: others may publish this clone's digest with git trace push --adopt; " +
		"read only from your own configuration", aTruth},
	{sharing.AskKey, "true", "false: git-trace does not ask remotes once a day for traces that were never pulled", aTruth},
	{"trace.autoPush", "false", "true: git push is followed by git trace push; init then adds the hook; " +
		"read only from your own configuration", aTruth},
	{"trace.fetchOnDemand", "false", "true: show, why and blame --prompts fetch the texts of a conversation from " +
		"the remote where it is kept; read only from your own configuration", aTruth},
	{"trace.hooksPath", "", "the value of core.hooksPath before init; init writes it and uninstall reads it", ""},
	{"trace.ignoreAgent", "", "an agent, or an editor that completes; may be given several times. " +
		"init skips it unless you name it, and status does not mention it", anAgent},
	{recorded.IgnoreKey, "", "a directory whose repositories git trace setup leaves out; may be given several times; " +
		"read only from your own configuration", ""},
	{"trace.maxFetched", "2g", "pull ends when more bytes arrive; k, m and g as in git", aNumber},
	{"trace.prices", "", "a file with prices of models that replaces the table of git-trace", ""},
	{"trace.promptExpire", keeping.DefaultPromptExpire, "when typed prompts that are in no record are deleted", aDate},
	{"trace.pushSubject", "", "the subject of the commits that push makes, if a remote has rules for subjects", ""},
	{recorded.RecordKey, "", "a directory whose repositories are enrolled when you start an agent in them; may be given " +
		"several times; git trace setup writes it; read only from your own configuration", ""},
	{"trace.records", "true", "false: conversations are not stored", aTruth},
	{"trace.redactAllow", "", "an expression (RE2) for texts that are not secrets; may be given several times", ""},
	{"trace.redactFile", "git-trace/redact in your configuration directory", "your rules of redaction", ""},
	{"trace.redactName", "", "a name that redaction removes; may be given several times", ""},
	{"trace.redactSecret", "", "an expression (RE2) for secrets; may be given several times", ""},
	{"trace.remote", "", "the default remote of push", ""},
	{"trace.servePort", "0", "the port of git trace serve; 0 takes a free one", aNumber},
	{"trace.shareTimes", "exact", "minute or day: push cuts the times of prompts to this unit before they leave, except " +
		"in whole logs", ""},
	{"trace.signPush", "commit.gpgSign", "true: the commits that push makes are signed", aTruth},
	{"trace.snapshotExpire", keeping.DefaultExpire, "when gc removes contents of snapshots that are in no last " +
		"snapshot; written as for gc.pruneExpire", aDate},
	{runner.SummaryKey, "", "true: one line after your commits at a terminal says whose lines they added; " +
		"init and setup ask once", aTruth},
	{"trace.trailers", "", "assisted-by or co-author: commit messages name the agents of their lines; init then adds " +
		"the hook", ""},
	{"trace.trust", "all", "the fetched logs that commands read: all, signed (with a key that git trusted at the pull) " +
		"or own", ""},
	{"remote.<name>.traceCode", "", "another remote: push publishes here the owners of its commits' lines", ""},
	{"remote.<name>.tracePrefix", "refs/traces/writers/", "the prefix of the refs of traces on this remote", ""},
	{"remote.<name>.traceShare", "", "how much push sends to this remote: commits, conversations or " +
		"log; push asks for it and writes it", aLevel},
	{"remote.<name>.traceUrl", "", "the URL for which traceShare was chosen; for another URL push asks again", ""},
}

// Named returns the settings with these names, or all without a name.
func Named(names []string) (list []Setting, err error) {
	if len(names) == 0 {
		return All, nil
	}
	found := map[string]bool{}
	var keys []string
	for _, s := range All {
		keys = append(keys, s.Key)
		for _, name := range names {
			if s.named(name) && (len(list) == 0 || list[len(list)-1].Key != s.Key) {
				list = append(list, s)
			}
			found[name] = found[name] || s.named(name)
		}
	}
	for _, name := range names {
		if !found[name] {
			return nil, exit.NoSuch("setting", name, keys)
		}
	}
	return list, nil
}

// `named` reports whether a typed name means this setting. Case does not matter in git's keys, and `trace.` may be
// missing.
func (s Setting) named(name string) bool {
	return strings.EqualFold(s.Key, name) || strings.EqualFold(s.Key, "trace."+name) ||
		s.ofRemotes() && strings.HasSuffix(strings.ToLower(name), s.suffix())
}

// ofRemotes reports whether each remote has the setting.
func (s Setting) ofRemotes() bool { return strings.HasPrefix(s.Key, "remote.<") }

// suffix returns the part after the remote's name, with its dot, in small letters.
func (s Setting) suffix() string { return strings.ToLower(s.Key[strings.LastIndexByte(s.Key, '.'):]) }

// is reports whether a key, in git's spelling, belongs to the setting.
func (s Setting) is(key string) bool {
	if s.ofRemotes() {
		return strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, s.suffix())
	}
	return key == strings.ToLower(s.Key)
}

// Value is a key of the configuration with its value.
type Value struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Set returns the setting's keys and values in the configuration. A setting of remotes may have several.
func (s Setting) Set(config refs.Config) []Value {
	out := []Value{}
	for key, value := range config.Entries() {
		if s.is(key) {
			if !s.ofRemotes() {
				key = s.Key
			}
			out = append(out, Value{key, value})
		}
	}
	return out
}

// Draw writes the setting with its value or default, and its description below.
func (s Setting) Draw(on *terminal.Screen, values refs.Config) {
	value := "not set"
	if s.Default != "" {
		value += ": " + s.Default
	}
	var set []string
	for _, one := range s.Set(values) {
		if remote, is := strings.CutPrefix(one.Key, "remote."); is {
			one.Value = remote[:len(remote)-len(s.suffix())] + ": " + one.Value
		}
		set = append(set, one.Value)
	}
	if len(set) > 0 {
		value = cells.Safe(strings.Join(set, ", "))
		if s.Default != "" {
			value += " (default: " + s.Default + ")"
		}
	}
	fmt.Fprintf(on.Out, "%s  %s\n", s.Key, value)
	const width, indent, most = 80, 4, 3
	for _, row := range cells.Wrap(s.Means, width-indent, most) {
		fmt.Fprintf(on.Out, "%s%s\n", strings.Repeat(" ", indent), row)
	}
}
