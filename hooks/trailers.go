package hooks

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-trace/git-trace/refs"
)

// TrailersHook is the hook that adds trailers to messages, for those who ask for it. Its exit status could stop a
// commit, so its part ends in success as every other does.
const TrailersHook = "prepare-commit-msg"

// The forms of trailers.
const (
	AssistedBy = "assisted-by"
	CoAuthor   = "co-author"
)

// trailersKey is the setting that asks for trailers in messages.
const trailersKey = "trace.trailers"

// Trailers is the form of trailers that a configuration asks for; empty for none.
func Trailers(config refs.Config) (form string, err error) {
	value, _ := config.Get(trailersKey)
	switch value = strings.ToLower(value); value {
	case AssistedBy, CoAuthor:
		return value, nil
	case "", "none", "false", "no", "off", "0":
		return "", nil
	}
	return "", fmt.Errorf("%s: '%s' is none of %s, %s and none", trailersKey, value, AssistedBy, CoAuthor)
}

// all are the hooks that may have a part of ours.
func all() []string { return append(Names(), TrailersHook) }

// wanted are the hooks that get one. The error is that of a setting which asks for what there is not.
func (in Installer) wanted(ctx context.Context) (names []string, wrong error) {
	var form string
	if config, err := in.Repo.Config(ctx); err == nil { // what git complains of, every command tells
		form, wrong = Trailers(config)
	}
	if form != "" {
		return all(), nil
	}
	return Names(), wrong
}

// names are the hooks that get one.
func (in Installer) names(ctx context.Context) []string {
	names, _ := in.wanted(ctx)
	return names
}
