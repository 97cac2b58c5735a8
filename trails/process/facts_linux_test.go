package process

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

func TestWhatIsKnownOfAProcess(t *testing.T) {
	t.Parallel()
	own := Of(os.Getpid())
	ended := start(t, nil, "exit 0")
	zombie := ID{}
	eventually(t, "a process that ended and was not waited for", func() bool {
		info, found := infoOf(ended.Process.Pid)
		zombie = own
		zombie.PID, zombie.Start = ended.Process.Pid, info.start
		return found && info.ended
	})
	change := func(f func(*ID)) ID {
		id := own
		f(&id)
		return id
	}
	for name, tt := range map[string]struct {
		id   ID
		want State
	}{
		"this process lives":                                       {own, Alive},
		"nobody waited for it yet, but it is over":                 {zombie, Gone},
		"its number was given away again":                          {change(func(id *ID) { id.Start-- }), Gone},
		"a number that no process has":                             {Ended(1 << 30), Gone},
		"the machine was started again":                            {change(func(id *ID) { id.Boot = "earlier" }), Gone},
		"another machine, as on a shared disk":                     {change(func(id *ID) { id.Boot, id.Host = "other", "other" }), Unknown},
		"the machine has another name now":                         {change(func(id *ID) { id.Host = "other" }), Alive},
		"another name space, as in a container":                    {change(func(id *ID) { id.Space = "pid:[1]" }), Unknown},
		"no process at all":                                        {ID{}, Unknown},
		"the zero ID of a number that no process has is not known": {Of(1 << 30), Unknown},
	} {
		if got := tt.id.State(); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestWhatTheSystemSaysOfAProcess(t *testing.T) {
	t.Parallel()
	const line = "4711 (a (node) x) %s 12 4711 99 0 -1 %d 1 0 0 0 7 8 0 0 20 0 11 0 123456 1000 10 18446744073709551615"
	for name, tt := range map[string]struct {
		state string
		flags int
		ended bool
	}{
		"it runs":              {"R", 4194560, false},
		"it sleeps":            {"S", 0, false},
		"nobody waited for it": {"Z", 4194564, true},
		"killed, and its memory is being taken back":     {"R", 4194564, true},
		"killed, and the system waits for something":     {"D", 0x4, true},
		"another bit is set beside that one's neighbour": {"R", 0x8, false},
	} {
		got, found := parseStat([]byte(fmt.Sprintf(line, tt.state, tt.flags)))
		if want := (info{parent: 12, start: 123456, name: "a (node) x", ended: tt.ended}); !found || got != want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, found, want)
		}
	}
	if _, found := parseStat([]byte("4711 (sh) R 1")); found {
		t.Error("half a line was taken for a whole one")
	}
}

// asChild runs this test again below shells, as a hook is run.
const asChild = "GITTRACE_TEST_STARTER"

func TestTheStarterOfAHookIsNoShell(t *testing.T) {
	t.Parallel()
	if os.Getenv(asChild) != "" {
		fmt.Printf("starter %d %v\n", Starter(), Ancestor(Starter()))
		return
	}
	script := strconv.Quote(os.Args[0]) + " -test.run='^" + t.Name() + "$'; true"
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "sh -c "+strconv.Quote(script)+"; true")
	cmd.Env = append(os.Environ(), asChild+"=1")
	out, err := cmd.CombinedOutput()
	if want := fmt.Sprintf("starter %d true\n", os.Getpid()); err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
	if Ancestor(os.Getpid()) || Ancestor(0) || !Ancestor(os.Getppid()) {
		t.Error("wrong ancestors")
	}
}
