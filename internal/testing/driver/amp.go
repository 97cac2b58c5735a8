package driver

import (
	"cmp"
	_ "embed"
	"errors"
	"path/filepath"
	"runtime"
)

// amp plays a conversation in Amp's plugin runtime (amp.ts), because Amp's own conversations need an account.
type amp struct{}

//go:embed amp.ts
var ampPlayer []byte

// ampPackage returns the npm package with the client for this platform.
func ampPackage() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return "@ampcode/cli-" + runtime.GOOS + "-" + arch
}

func (amp) prepare(j *job) (args, env []string, err error) {
	if j.opts.At != nil {
		return nil, nil, errors.New("amp is driven without a person at the terminal only")
	}
	player := ".amp-player.ts"
	if err := j.place(ampPlayer, player); err != nil {
		return nil, nil, err
	}
	args = []string{filepath.Join(j.repo.Home, player), j.url, cmp.Or(j.opts.Model, "scripted-model"), j.opts.Prompt}
	return append(args, j.opts.Args...), []string{"BUN_BE_BUN=1", "AMP_SKIP_UPDATE_CHECK=1"}, nil
}

// inspect reads the player's output, one object a line.
func (amp) inspect(_ *job, res *Result) error {
	type event struct{ Thread, Answer string }
	each(res.Stdout, func(e event) {
		res.Session, res.Answer = cmp.Or(e.Thread, res.Session), cmp.Or(e.Answer, res.Answer)
	})
	return nil
}
