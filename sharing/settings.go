package sharing

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/blake3"

	"github.com/git-trace/git-trace/refs"
)

// Level is the amount of data that leaves for a remote.
type Level string

// The levels; each includes the previous one.
const (
	LevelNone          Level = "none"          // nothing
	LevelCommits       Level = "commits"       // the digest
	LevelConversations Level = "conversations" // also the redacted records of conversations that own a line
	LevelLog           Level = "log"           // also the whole log with its checkpoints
)

// Levels lists the possible levels, the narrowest first.
var Levels = []Level{LevelCommits, LevelConversations, LevelLog}

// Wider reports whether more data leaves than at another level.
func (l Level) Wider(than Level) bool { return slices.Index(Levels, l) > slices.Index(Levels, than) }

// Remote has the settings of a remote.
type Remote struct {
	Name   string // name of the remote, or a URL instead; Label names the refs
	Label  string // below refs/traces/remotes
	Share  Level
	Pinned string // the push URL for which the person chose the level, in the form of Bare; empty if there is none
	Prefix string // prefix of the refs on the remote: "refs/traces/writers/"
	Code   string // the remote with the described commits: this one, unless remote.<name>.traceCode names another
}

// DefaultPrefix is the default place of writers' refs on a remote.
const DefaultPrefix = "refs/traces/writers/"

// Settings holds the settings of sharing. The settings that decide which data leaves are read only from the clone's own
// configuration and the user's, not from included files or a work tree's configuration.
type Settings struct {
	own    refs.Config
	names  []string    // names of all remotes
	always refs.Config // all scopes, for harmless settings
}

// ReadSettings asks git for the settings.
func ReadSettings(ctx context.Context, repo *refs.Repo) (*Settings, error) {
	list, err := repo.Settings(ctx)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	s := &Settings{}
	local := realFile(filepath.Join(repo.CommonDir, "config"))
	for _, one := range list {
		key, value, origin := one.Key, one.Value, one.File
		s.always.Add(key, value)
		if name, found := strings.CutPrefix(key, "remote."); found {
			if at := strings.LastIndexByte(name, '.'); at > 0 && !slices.Contains(s.names, name[:at]) {
				s.names = append(s.names, name[:at])
			}
		}
		if !filepath.IsAbs(origin) {
			origin = filepath.Join(rootOf(repo), origin)
		}
		origin = realFile(origin)
		switch {
		case one.Scope == "local" && origin == local, one.Scope == "global" && !within(origin, repo.WorkTree):
			s.own.Add(key, value)
		}
	}
	return s, nil
}

func rootOf(repo *refs.Repo) string {
	if repo.WorkTree != "" {
		return repo.WorkTree
	}
	return repo.GitDir
}

func realFile(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// `within` reports whether a file is in a work tree, where a commit can write it.
func within(path, top string) bool {
	if top == "" {
		return false
	}
	rest, err := filepath.Rel(realFile(top), path)
	first, _, _ := strings.Cut(filepath.ToSlash(rest), "/")
	return err == nil && first != ".." && first != ".git"
}

// Errors for a remote that is missing or cannot be used.
var (
	ErrNoRemote      = errors.New("no remote was named or chosen")
	ErrUnknownRemote = errors.New("there is no such remote")
	ErrNoneThere     = errors.New("this repository has no remote")
)

// Destination returns the remote of a push: the named one, else trace.remote, else the only one with a level. A remote
// is never used only because it exists.
func (s *Settings) Destination(name string) (Remote, error) {
	if name == "" {
		name = s.of("trace.remote")
	}
	if name == "" {
		var shared []string
		for _, n := range s.names {
			if s.remote(n).Share != LevelNone {
				shared = append(shared, n)
			}
		}
		switch {
		case len(s.names) == 0:
			return Remote{}, ErrNoneThere
		case len(shared) == 0 && len(s.names) == 1:
			return Remote{}, fmt.Errorf("%w; the only one is '%s'", ErrNoRemote, s.names[0])
		case len(shared) == 0:
			return Remote{}, ErrNoRemote
		case len(shared) > 1:
			return Remote{}, fmt.Errorf("%w: %s have a level", ErrNoRemote, strings.Join(shared, ", "))
		}
		name = shared[0]
	}
	if !slices.Contains(s.names, name) {
		return Remote{}, fmt.Errorf("%w: %s", ErrUnknownRemote, name)
	}
	return s.remote(name), nil
}

// Source returns the remote of a pull: one with settings, or a URL.
func (s *Settings) Source(name string) (Remote, error) {
	if slices.Contains(s.names, name) {
		return s.remote(name), nil
	}
	if !strings.ContainsAny(name, ":/\\") {
		return Remote{}, fmt.Errorf("%w: %s", ErrUnknownRemote, name)
	}
	return Remote{Name: name, Label: "url-" + shortHash(Bare(name)), Share: LevelNone, Prefix: DefaultPrefix}, nil
}

// NoRemotes reports whether the repository has no remotes.
func (s *Settings) NoRemotes() bool { return len(s.names) == 0 }

// Sources returns the remotes of a pull if none is named: the ones with a level, or else the destination.
func (s *Settings) Sources() []Remote {
	var out []Remote
	for _, name := range s.names {
		if r := s.remote(name); r.Share != LevelNone || s.pulls(name) {
			out = append(out, r)
		}
	}
	if name := s.of("trace.remote"); len(out) == 0 && slices.Contains(s.names, name) {
		out = append(out, s.remote(name))
	}
	if len(out) == 0 && len(s.names) == 1 {
		out = append(out, s.remote(s.names[0])) // a read sends nothing
	}
	return out
}

// `of` returns a setting that only the person can write; "" if it is not set.
func (s *Settings) of(key string) string {
	value, _ := s.own.Get(key)
	return value
}

func (s *Settings) remote(name string) Remote {
	key := func(k string) string { return s.of("remote." + name + "." + k) }
	r := Remote{Name: name, Label: name, Share: Level(key("traceshare")), Pinned: key("traceurl"), Prefix: DefaultPrefix}
	if !slices.Contains(Levels, r.Share) {
		r.Share = LevelNone
	}
	r.Code = cmp.Or(key("tracecode"), name)
	if p := key("traceprefix"); strings.HasPrefix(p, "refs/") {
		r.Prefix = strings.TrimSuffix(p, "/") + "/"
	}
	return r
}

// codeTips returns the branches of the remote with the commits, from the last fetch or push.
func (s *Settings) codeTips(ctx context.Context, repo *refs.Repo, of Remote) ([]string, error) {
	under := "refs/remotes/" + of.Code + "/"
	tips := []string{"--glob=" + under + "*"}
	if of.Code == of.Name { // the remote itself has the commits
		return tips, nil
	}
	if !slices.Contains(s.names, of.Code) {
		return nil, fmt.Errorf("%w: %s", ErrUnknownRemote, of.Code)
	}
	list, err := repo.RefsUnder(ctx, under)
	for _, r := range list {
		tips = append(tips, r.OID.String())
	}
	return tips, err
}

// PushURL returns the URL to which git pushes for a remote, with insteadOf and pushInsteadOf (git-config(1)). Several
// URLs are an error: the person agreed to one.
func (s *Settings) PushURL(ctx context.Context, repo *refs.Repo, remote string) (string, error) {
	urls := s.pushURLs(remote)
	if len(urls) == 0 { // the configuration does not name the remote
		out, err := repo.Git(ctx, nil, "remote", "get-url", "--push", "--all", remote)
		if err != nil {
			return "", fmt.Errorf("find the push URL: %w", err)
		}
		urls = strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	if len(urls) != 1 {
		return "", fmt.Errorf("%s has %d push URLs, and traces go to one", remote, len(urls))
	}
	return urls[0], nil
}

func (s *Settings) pushURLs(remote string) []string {
	urls, push := s.urls("remote."+remote+".url"), s.urls("remote."+remote+".pushurl")
	for i, url := range push {
		push[i], _ = s.instead(url, ".insteadof")
	}
	if len(push) > 0 {
		return push
	}
	for i, url := range urls {
		if other, found := s.instead(url, ".pushinsteadof"); found {
			push = append(push, other)
		}
		urls[i], _ = s.instead(url, ".insteadof")
	}
	if len(push) > 0 {
		return push
	}
	return urls
}

// urls returns the values of a key. An empty value removes the previous ones, since git 2.46.
func (s *Settings) urls(key string) []string {
	all := slices.Clone(s.always.All(key))
	for i := len(all) - 1; i >= 0; i-- {
		if all[i] == "" {
			return all[i+1:]
		}
	}
	return all
}

// `instead` returns a URL with the longest matching prefix replaced by its base.
func (s *Settings) instead(url, kind string) (string, bool) {
	base, long := "", -1
	for key, value := range s.always.Entries() {
		of, found := strings.CutPrefix(key, "url.")
		if of, kept := strings.CutSuffix(of, kind); found && kept && strings.HasPrefix(url, value) && len(value) > long {
			base, long = of, len(value)
		}
	}
	if long < 0 {
		return url, false
	}
	return base + url[long:], true
}

// Bare returns a URL without the credentials in it; other texts do not change.
func Bare(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User == nil {
		return text
	}
	if _, secret := u.User.Password(); secret || strings.HasPrefix(u.Scheme, "http") {
		u.User = nil
	}
	return u.String()
}

// Settle writes the chosen level, and the URL for which it was chosen, into the clone's configuration.
func Settle(ctx context.Context, repo *refs.Repo, remote string, level Level, pushURL string) error {
	for _, kv := range [][2]string{{"traceUrl", Bare(pushURL)}, {"traceShare", string(level)}} {
		if _, err := repo.Git(ctx, nil, "config", "--local", "remote."+remote+"."+kv[0], kv[1]); err != nil {
			return fmt.Errorf("keep the choice: %w", err)
		}
	}
	return nil
}

// MostFetched returns trace.maxFetched in bytes, 0 if it is not set; the setting may have k, m or g.
func (s *Settings) MostFetched() (int64, error) {
	text, found := s.always.Get("trace.maxfetched")
	if !found {
		return 0, nil
	}
	digits := strings.TrimRight(strings.ToLower(text), "kmg")
	n, err := strconv.ParseInt(digits, 10, 64)
	unit := map[string]int64{"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}[strings.ToLower(text)[len(digits):]]
	if err != nil || n < 1 || unit == 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("trace.maxFetched: '%s' is not a number of bytes", text)
	}
	return n * unit, nil
}

// spans lists the words that trace.shareTimes takes.
var spans = map[string]time.Duration{"minute": time.Minute, "day": 24 * time.Hour}

// Span returns trace.shareTimes: the unit to which the times of a conversation's events are cut before they leave; 0
// for no cut. A wrong word is an error, so that no exact time leaves by mistake.
func (s *Settings) Span() (time.Duration, error) {
	text, found := s.always.Get("trace.sharetimes")
	if !found || text == "" || text == "exact" {
		return 0, nil
	}
	span, known := spans[strings.ToLower(text)]
	if !known {
		return 0, fmt.Errorf("trace.shareTimes: '%s' is not exact, minute or day", text)
	}
	return span, nil
}

// shortHash returns 16 hexadecimal digits of a hash, for names of files and refs.
func shortHash(text string) string {
	sum := blake3.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
