package doctor

import (
	"context"
	"strings"
)

// checkSettings checks the user's settings for git-trace.
func (d *Doctor) checkSettings(ctx context.Context) (string, []Finding) {
	config, err := d.repo.Config(ctx)
	if err != nil {
		return "", []Finding{{What: err.Error(), Mend: "git config --list says where"}}
	}
	if wrong := d.deeds.Wrong(ctx, config); len(wrong) > 0 {
		return "", wrong
	}
	for key := range config.Entries() {
		if strings.HasPrefix(key, "trace.") {
			return "each has a value that it takes", nil
		}
	}
	return "none is set", nil
}
