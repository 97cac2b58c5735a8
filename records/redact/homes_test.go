package redact

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"
)

// homeWays are ways in which the home of somebody called NAME is written.
var homeWays = []string{
	// paths of Linux and macOS
	"/home/NAME", "/home/NAME/", "/home/NAME/src/app/main.go", "/Users/NAME/work", "/Users/NAME", "cd /home/NAME && ls", "(/home/NAME/x)", "[/home/NAME/x]", "{/home/NAME/x}", "</home/NAME/x>",
	"\"/home/NAME/x\"", "'/home/NAME/x'", "`/home/NAME/x`", "“/home/NAME/x”", "=/home/NAME/x", "HOME=/home/NAME", "PATH=/bin:/home/NAME/bin", ":/home/NAME/x", ",/home/NAME/x", ";/home/NAME/x",
	">/home/NAME/x", "2>/home/NAME/log", "@/home/NAME/file", "#/home/NAME", "|/home/NAME/x", "!/home/NAME", "-I/home/NAME/include", "-L/home/NAME/lib", "cc -I/Users/NAME/include", "--dir=/home/NAME/x",
	"-v/home/NAME:/src", "host:/home/NAME/x", "me@host:/home/NAME/x", "file:///home/NAME/x", "file:/home/NAME/x", "file://localhost/home/NAME/x", "ssh://host/home/NAME/x", "sftp://host:22/home/NAME/x",
	"vscode-remote://wsl+ubuntu/home/NAME/x", "vscode-remote://ssh-remote+box/home/NAME/x", "//home/NAME/x", "/home//NAME/x", "→/home/NAME/x", "│ /home/NAME/x │", "/home/NAME.", "in /home/NAME, and", "/home/NAME: no such file",
	"/export/home/NAME/x", "/var/home/NAME/x", "/private/var/home/NAME/x", "/System/Volumes/Data/Users/NAME/x", "/System/Volumes/Data/home/NAME", "/Volumes/Macintosh HD/Users/NAME/x", "/Volumes/Backup/Users/NAME/x",
	"/host_mnt/Users/NAME/x", "/hostfs/home/NAME/x", "/mnt/home/NAME/x", "/mnt/disk/home/NAME/x", "/rootfs/home/NAME/x", "/nfs/home/NAME/x", "/data/home/NAME/x", "/run/host/home/NAME/x", "/media/usb/home/NAME/x",
	// behind escapes
	`\n/home/NAME/x`, `\t/home/NAME/x`, `\r\n/home/NAME/x`, `first\n/Users/NAME/x\nlast`, `\\n/home/NAME/x`, `"cwd\":\"/home/NAME/x\"`, `\"/home/NAME/x\"`, `\u000a/home/NAME/x`, `\x0a/home/NAME/x`,
	`\/home\/NAME\/x`, `"\/Users\/NAME\/x"`, `%2Fhome%2FNAME%2Fx`, `%2fUsers%2fNAME`, `path=%2Fhome%2FNAME&x=1`, `%0A/home/NAME/x`, "&#47;home&#47;NAME&#47;x", "&#x2F;Users&#x2F;NAME", "&quot;/home/NAME/x&quot;",
	"&sol;home&sol;NAME&sol;x", "\x1b[31m/home/NAME/x\x1b[0m", `\u001b[32m/home/NAME/x`, `\x1b[0m/home/NAME`, `\033[1m/home/NAME/x`, "/ho\x1b[31mme/NAME/x", "[32m/home/NAME/x", "\x00/\x00h\x00o\x00m\x00e\x00/\x00NAME",
	// paths that go up
	"../../Users/NAME/x", "../../../home/NAME/src", "../../../../Users/NAME", "../Users/NAME/src", `..\..\Users\NAME\x`, "cat ../../../../home/NAME/.bashrc",
	// Windows and WSL
	`C:\Users\NAME\code`, `C:\Users\NAME`, `c:\users\NAME\x`, `"C:\\Users\\NAME\\x"`, `C:\\\\Users\\\\NAME\\\\x`, "C:/Users/NAME/x", "c:/users/NAME", "/c/Users/NAME/x", "/mnt/c/Users/NAME/x", "/cygdrive/c/Users/NAME/x",
	"file:///C:/Users/NAME/x", "file:///c%3A/Users/NAME/x", `\\?\C:\Users\NAME\x`, `\\host\c$\Users\NAME\x`, `C:\Documents and Settings\NAME\x`, `\\wsl$\Ubuntu\home\NAME\x`, `\\wsl.localhost\Ubuntu\home\NAME\x`,
	`//wsl$/Ubuntu/home/NAME/x`, `USERPROFILE=C:\Users\NAME`, `D:\Users\NAME\x`, `C:\Users\NAME\AppData\Local\Temp\x`, `\nC:\Users\NAME\x`, `"cwd":"C:\\Users\\NAME"`, `C%3A%5CUsers%5CNAME%5Cx`,
	// ~name
	"~NAME/x", "see ~NAME/notes", "cd ~NAME", "ls ~NAME", "\"~NAME/x\"", "host:~NAME/x", "scp a host:~NAME", "HOME=~NAME", "in ~NAME", "`~NAME/x`", "(~NAME/x)", `\n~NAME/x`, "~NAME",
	// names that clients give to directories
	"-home-NAME-src-app", "-Users-NAME-work", "~/.claude/projects/-home-NAME-src-app/s.jsonl", `projects\\-Users-NAME-x`, "C--Users-NAME-code", "~/.claude/projects/C--Users-NAME-code", "--home-NAME-src--", "--Users-NAME-x--",
	"sessions/--home-NAME-src--/a.jsonl", "~/.cursor/projects/Users-NAME-x", "~/.cursor/projects/home-NAME-x/agent", `"-home-NAME-x"`, "=-home-NAME-x", `\n-home-NAME-x`, "-private-home-NAME-x", "-mnt-c-Users-NAME-x",
	"-System-Volumes-Data-Users-NAME-x", "/tmp/claude-1000/-home-NAME-src/tasks",
}

func TestNoWayToWriteAHomeLeavesItsName(t *testing.T) {
	t.Parallel()
	if len(homeWays) < 122 {
		t.Fatalf("%d ways", len(homeWays))
	}
	r := newRedactor(t, Options{})
	for _, name := range []string{"quimby", "zoe_k", "jbloggs7"} {
		for _, way := range homeWays {
			text := strings.ReplaceAll(way, "NAME", name)
			out := redacted(t, r, text)
			if strings.Contains(out, name) || !strings.Contains(out, somebody) {
				t.Errorf("%q became %q", text, out)
			}
			if again := redacted(t, r, out); again != out {
				t.Errorf("redacting twice changes %q to %q", out, again)
			}
		}
	}
}

func TestNamesOfHomesInFullAndEncoded(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	for _, test := range []struct{ in, want string }{
		{`C:\Users\Carol Ann\code`, `C:\Users\user\code`},
		{`C:\Users\Carol and D:\x`, `C:\Users\user and D:\x`},
		{"/home/josé/x", "/home/user/x"},
		{`/Users/\u5f20\u4f1f/x`, `/Users/user/x`},
		{"/home/jos%C3%A9/x", "/home/user/x"},
		{"/home/bob.smith/x and /Users/anne-marie/y", "/home/user/x and /Users/user/y"},
		{base64.StdEncoding.EncodeToString([]byte("cd /home/quimby/src\n")), "[REDACTED:home]=="[:15]},
		{hex.EncodeToString([]byte("cd /home/quimby/src\n")), "[REDACTED:home]"},
		{"q=" + url.QueryEscape("/home/quimby/x y"), "q=%2Fhome%2Fuser%2Fx+y"},
	} {
		if out := strings.TrimRight(redacted(t, r, test.in), "="); out != strings.TrimRight(test.want, "=") {
			t.Errorf("%q became %q, want %q", test.in, out, test.want)
		}
	}
}

func TestWhatIsNoHomeStays(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	for _, text := range []string{
		"/usr/home/page and /homely/x", "src/home/index.html", "app/Users/List.tsx", "import x from '../home/page'", "import List from '../../Users/List'", "from '../../home/components/Hero'", "import '../Users/components/x'",
		"./home/x", "pages/home/index.vue", "https://example.com/home/news", "https://example.com/Users/list", "/api/users/12", "/users/12/posts", "api.example.com/users/bob", "GET /users/search", "/home", "/Users", "/home/",
		"/home/user/x", "/Users/Shared/x", "/Users/user", "/home/linuxbrew/.linuxbrew", "~/x", "~", "~5 minutes", "HEAD~2", "about ~half of it", "~1.2.3", "a~b", "~User()", "~ten", "take-home-pay", "work-from-home-office",
		"go-home-now", "/home/<name>/x", "/home/$USER/x", "/home/${USER}/x", "/home/{name}", "C:\\Windows\\x", "C:\\Users\\Public\\x", "%USERPROFILE%\\x", "homepage", "users", "/home/...", "documents and settings",
	} {
		if out := redacted(t, r, text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}
