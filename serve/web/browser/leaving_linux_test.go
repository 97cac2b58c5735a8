package browser

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// apart names the directory of the programs in a process that is shut in.
const apart = "GITTRACE_APART"

// gate is the only way out of a process that is shut in: every packet is read there, and none is answered.
type gate struct {
	mu   sync.Mutex
	seen []string
}

// nameServer is asked for names there; no machine has this address.
const nameServer = "198.18.0.53"

// ofItself are names that Chromium asks for on any page, for its accounts and updates; their questions stay without answer.
var ofItself = []string{"accounts.google.com", "clients2.google.com", "update.googleapis.com"}

// openGate makes a pair of devices, leads all addresses but those of this machine to the one, and the questions for names
// as well, and reads at the other.
func openGate(dir string) (*gate, error) {
	names := filepath.Join(dir, "resolv.conf")
	if err := os.WriteFile(names, []byte("nameserver "+nameServer+"\n"), 0o644); err != nil {
		return nil, err
	}
	if err := syscall.Mount(names, "/etc/resolv.conf", "", syscall.MS_BIND, ""); err != nil {
		return nil, fmt.Errorf("mount: %w", err)
	}
	for _, line := range []string{"link set lo up", "link add gate type veth peer name street", "link set gate arp off up", "link set street up",
		"addr add 198.18.0.1/24 dev gate", "route add default dev gate",
		"-6 addr add fd00::1/64 dev gate nodad", "-6 route add default dev gate"} {
		out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput()
		if err != nil && !strings.HasPrefix(line, "-6") { // a kernel without the newer protocol has no way out by it
			return nil, fmt.Errorf("ip %s: %w: %s", line, err, out)
		}
	}
	street, err := net.InterfaceByName("street")
	if err != nil {
		return nil, err
	}
	all := binary.BigEndian.Uint16(binary.NativeEndian.AppendUint16(nil, syscall.ETH_P_ALL)) // packet(7)
	socket, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, int(all))
	if err != nil {
		return nil, fmt.Errorf("socket of packets: %w", err)
	}
	if err := syscall.Bind(socket, &syscall.SockaddrLinklayer{Protocol: all, Ifindex: street.Index}); err != nil {
		return nil, fmt.Errorf("bind: %w", err)
	}
	g := &gate{}
	go g.watch(socket)
	return g, nil
}

func (g *gate) watch(socket int) {
	packet := make([]byte, 1<<16)
	for {
		n, _, err := syscall.Recvfrom(socket, packet, 0)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return
		}
		what := told(packet[:n])
		_, name, _ := strings.Cut(what, " for ")
		if what != "" && !slices.Contains(ofItself, name) {
			g.mu.Lock()
			g.seen = append(g.seen, what)
			g.mu.Unlock()
		}
	}
}

// leaving is what came since it was asked last.
func (g *gate) leaving() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	seen := slices.Compact(g.seen)
	g.seen = nil
	return seen
}

// told says where a packet goes and which name it asks for. It is "" for what a kernel of its own says to its neighbours.
func told(packet []byte) string {
	var kind byte
	var to net.IP
	var rest []byte
	switch {
	case len(packet) >= 20 && packet[0]>>4 == 4:
		kind, to, rest = packet[9], packet[16:20], packet[min(int(packet[0]&15)*4, len(packet)):]
	case len(packet) >= 40 && packet[0]>>4 == 6:
		kind, to, rest = packet[6], packet[24:40], packet[40:]
		if to.IsLinkLocalMulticast() && (kind == 0 || kind == syscall.IPPROTO_ICMPV6) {
			return ""
		}
	default:
		return fmt.Sprintf("%x", packet)
	}
	what := fmt.Sprintf("protocol %d to %s", kind, to)
	if (kind == syscall.IPPROTO_UDP || kind == syscall.IPPROTO_TCP) && len(rest) >= 8 {
		port := binary.BigEndian.Uint16(rest[2:])
		what += fmt.Sprintf(" port %d", port)
		if port == 53 && kind == syscall.IPPROTO_UDP && len(rest) > 20 {
			what += " for " + asked(rest[20:])
		}
	}
	return what
}

// asked is the name in a question (RFC 1035 §4.1.2).
func asked(question []byte) string {
	var labels []string
	for len(question) > 0 && question[0] > 0 && int(question[0]) < len(question) {
		labels = append(labels, string(question[1:1+question[0]]))
		question = question[1+question[0]:]
	}
	return strings.Join(labels, ".")
}

// Server and browser are shut in with no way out but one that is watched, and the pages show what would call out if it
// were markup. No packet leaves, and no name is asked for (W4).
func TestNothingLeavesTheMachine(t *testing.T) {
	if root := os.Getenv(apart); root != "" {
		testShutIn(t, root)
		return
	}
	needed(t, chromium(), "there is no Chromium here: apt-get install chromium")
	_, err := exec.LookPath("ip")
	needed(t, err == nil, "there is no ip here: apt-get install iproute2")
	root := TempDir(t)
	if err := Build(t.Context(), root, "../../.."); err != nil { // shut in, nothing can be fetched
		t.Fatal(err)
	}
	self := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=5m")
	self.Env = append(os.Environ(), apart+"="+root)
	self.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	out, err := self.CombinedOutput()
	var ended *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &ended):
		t.Skipf("the kernel refuses a network of its own: %v", err)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	case err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()):
		t.Errorf("%v\n%s", err, out)
	}
}

// settled is how long is waited for what a browser does beside the pages.
const settled = time.Second

func testShutIn(t *testing.T, root string) {
	way, err := openGate(root)
	if err != nil {
		t.Skipf("the kernel refuses a way out that is watched: %v", err)
	}
	ctx, world := openedIn(t, root)
	for _, step := range []func() error{func() error { return world.foreign(ctx) }, func() error { return world.foreignTalk(ctx, root) }} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(settled)
	if seen := way.leaving(); len(seen) > 0 {
		t.Fatalf("before the pages: %v", seen)
	}
	for _, path := range slices.Concat(every, foreignPages) {
		visit(t, ctx, world.Base+path, 1280)
		if seen := way.leaving(); len(seen) > 0 {
			t.Errorf("%.60s: %v", path, seen)
		}
	}
	time.Sleep(settled)
	if seen := way.leaving(); len(seen) > 0 {
		t.Errorf("afterwards: %v", seen)
	}
	// A page with the same text as markup is seen.
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><main id="main">`+acts+`</main>`)
	}))
	defer evil.Close()
	// It is never whole, for nobody answers.
	_, _ = chromedp.Run(ctx, chromedp.Evaluate[string](`location.href = "`+evil.URL+`"`))
	time.Sleep(2 * settled)
	seen := strings.Join(way.leaving(), "\n")
	for _, want := range []string{"protocol 6 to 192.0.2.1 port 80", "to " + nameServer + " port 53 for away.example"} {
		if !strings.Contains(seen, want) {
			t.Errorf("a page that calls out is not seen: no %q in\n%s", want, seen)
		}
	}
}
