package hooks

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// TrailersHook is the hook that adds trailers to messages if the user asks for it. Its exit status could stop a commit,
// so our part ends with success, as in every other hook.
const TrailersHook = "prepare-commit-msg"

// PushHook is the hook that starts to share the recorded data after a push, if the user asks for it. It does not wait,
// does not read git's input, and ends with success.
const PushHook = "pre-push"

// The forms of trailers.
const (
	AssistedBy = "assisted-by"
	CoAuthor   = "co-author"
)

// The settings that enable the two hooks.
const (
	trailersKey = "trace.trailers"
	autoPushKey = "trace.autoPush"
)

// Trailers returns the form of trailers that a configuration selects, or "" for none.
func Trailers(config refs.Config) (form string, err error) {
	value, _ := config.Get(trailersKey)
	switch value = strings.ToLower(value); value {
	case AssistedBy, CoAuthor:
		return value, nil
	case "", "none", "false", "no", "off", "0":
		return "", nil
	}
	return "", fmt.Errorf("%s: '%s' is not %s, %s or none", trailersKey, value, AssistedBy, CoAuthor)
}

// `asked` lists the hooks that a user must ask for.
var asked = [...]string{TrailersHook, PushHook}

// `all` returns the hooks that may have our part.
func all() []string { return append(Names(), asked[:]...) }

// `wanted` returns the hooks that get our part. The error is about a setting with an unknown value.
func (in Installer) wanted(ctx context.Context) (names []string, wrong error) {
	names = Names()
	config, err := in.Repo.Config(ctx)
	if err != nil {
		return names, nil //nolint:nilerr // every command reports git's errors
	}
	form, wrong := Trailers(config)
	if form != "" {
		names = append(names, TrailersHook)
	}
	if config.Bool(autoPushKey, false) {
		names = append(names, PushHook)
	}
	return names, wrong
}

// `names` returns the hooks that get our part.
func (in Installer) names(ctx context.Context) []string {
	names, _ := in.wanted(ctx)
	return names
}
