package recorded

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/git-trace/git-trace/refs"
)

// accountHome is the home directory of the account (passwd(5)), whatever HOME says; "" if unknown. The C library is
// not asked: that would make every hook start later.
var accountHome = sync.OnceValue(lookAccountHome)

func lookAccountHome() string {
	if runtime.GOOS == "windows" {
		return ""
	}
	text, err := refs.ReadFile("/etc/passwd")
	if err != nil {
		return ""
	}
	uid := strconv.Itoa(os.Getuid())
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), ":")
		if len(fields) == 7 && fields[2] == uid && filepath.IsAbs(fields[5]) {
			return fields[5]
		}
	}
	return ""
}
