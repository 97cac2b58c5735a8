package refs

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Env returns the environment of a git process that works for git-trace. It is the user's environment without the GIT_*
// variables of a hook or a shell. Variables for configuration, ssh, identity and tracing stay. The repository is named
// by absolute paths. Replacement refs are off, because events and anchors are about the original objects.
func (r *Repo) Env() []string {
	env := append(append(baseEnv(os.Environ()), r.place()...), retainMemory()...)
	env = append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "LANGUAGE=en")
	return append(env, r.unasked.all()...)
}

// place returns the variables that name the repository. Git finds the common directory itself, unless the user named
// another one.
func (r *Repo) place() []string {
	env := []string{"GIT_DIR=" + r.GitDir}
	if r.WorkTree != "" {
		env = append(env, "GIT_WORK_TREE="+r.WorkTree)
	} else {
		env = append(env, "GIT_IMPLICIT_WORK_TREE=0")
	}
	if r.commonFromEnv {
		env = append(env, "GIT_COMMON_DIR="+r.CommonDir)
	}
	if r.Grafts != "" {
		env = append(env, "GIT_GRAFT_FILE="+r.Grafts)
	}
	if r.index != "" {
		env = append(env, "GIT_INDEX_FILE="+r.index)
	}
	return env
}

// UseIndex makes git processes use another index: the one of the commit for which a hook runs (githooks(5)).
func (r *Repo) UseIndex(path string) { r.index = path }

// SideEnv makes a git process write its objects to the side store, and read from both stores.
func (r *Repo) SideEnv() []string {
	return []string{
		"GIT_OBJECT_DIRECTORY=" + r.SideObjects(),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quoteAlternate(r.MainObjects()),
	}
}

// SideReadEnv makes a git process also read the side store, if there is one.
func (r *Repo) SideReadEnv() []string {
	if !exists(r.SideObjects()) {
		return nil
	}
	return r.AlternateEnv(r.SideObjects())
}

// AlternateEnv makes a git process also read the objects of another directory.
func (r *Repo) AlternateEnv(dir string) []string {
	return []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quoteAlternate(dir)}
}

// quoteAlternate quotes a path so that git reads it as one entry of GIT_ALTERNATE_OBJECT_DIRECTORIES. An entry that
// begins with a double quote is C-quoted (git(1)).
func quoteAlternate(path string) string {
	if !strings.ContainsRune(path, filepath.ListSeparator) && !strings.HasPrefix(path, `"`) {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

// FetchNothing stops all git processes of this process from fetching objects that a partial clone left on its remote.
// Users who commit or call a tool did not ask for them, and fetching them one by one takes minutes. Git has a variable
// for this since 2.44. In older versions a git process that wants to fetch finds no permitted transport
// (GIT_ALLOW_PROTOCOL, git(1)).
func FetchNothing() error {
	return errors.Join(os.Setenv("GIT_NO_LAZY_FETCH", "1"), os.Setenv("GIT_ALLOW_PROTOCOL", "none"))
}

// AskNobody stops all git processes of this process from asking for a password or a key, because nobody would see the
// question. The parameter `sshCommand` is the value of core.sshCommand, if it is set.
func AskNobody(sshCommand string) error {
	ssh := cmp.Or(os.Getenv("GIT_SSH_COMMAND"), sshCommand)
	if ssh == "" && os.Getenv("GIT_SSH") == "" {
		ssh = "ssh"
	}
	var err error
	if program, _, _ := strings.Cut(ssh, " "); filepath.Base(program) == "ssh" { // another program may not know the option
		err = os.Setenv("GIT_SSH_COMMAND", ssh+" -o BatchMode=yes")
	}
	for _, kv := range [][2]string{
		{"GIT_TERMINAL_PROMPT", "0"}, {"GIT_ASKPASS", "true"}, {"SSH_ASKPASS_REQUIRE", "never"}, {"GCM_INTERACTIVE", "never"},
	} {
		err = errors.Join(err, os.Setenv(kv[0], kv[1]))
	}
	return err
}

// `kept` lists the GIT_* variables that a git process inherits.
var kept = [...]string{
	"GIT_ALLOW_PROTOCOL", "GIT_ASKPASS", "GIT_ATTR_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL",
	"GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_SYSTEM", "GIT_EDITOR", "GIT_EXEC_PATH",
	"GIT_NO_LAZY_FETCH", "GIT_PAGER",
	"GIT_PROTOCOL", "GIT_PROTOCOL_FROM_USER", "GIT_SEQUENCE_EDITOR", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT",
	"GIT_TERMINAL_PROMPT",
}

// keptPrefixes lists prefixes of variables that a git process inherits.
var keptPrefixes = [...]string{
	"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_CURL_", "GIT_HTTP_", "GIT_LFS_",
	"GIT_PROXY_", "GIT_SSL_", "GIT_TRACE",
}

// baseEnv returns the environment without the GIT_* variables that are not kept. The slice has room for more variables.
func baseEnv(environ []string) []string {
	env := make([]string, 0, len(environ)+8)
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if name == "LANGUAGE" || strings.HasPrefix(name, "GIT_") && !keeps(name) {
			continue
		}
		env = append(env, entry)
	}
	return env
}

func keeps(name string) bool {
	for _, k := range kept {
		if name == k {
			return true
		}
	}
	for _, p := range keptPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// userEnv returns the environment of CommandUser.
func (r *Repo) userEnv(environ []string) []string {
	env := make([]string, 0, len(environ)+4)
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX",
			"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH",
			"GIT_INTERNAL_SUPER_PREFIX", "GIT_REFLOG_ACTION", "GIT_NAMESPACE":
			continue
		}
		env = append(env, entry)
	}
	return append(append(env, r.place()...), retainMemory()...)
}

// retainMemory makes the C library of a git process keep freed memory (mallopt(3)). Git frees memory after each version
// of a file, and returning it to the system takes a third of the time of a diff. The user's own setting wins.
func retainMemory() []string {
	settings := [...][2]string{{"MALLOC_TRIM_THRESHOLD_", "67108864"}, {"MALLOC_MMAP_THRESHOLD_", "4194304"}}
	var env []string
	for _, s := range settings {
		if _, set := os.LookupEnv(s[0]); set {
			return nil
		}
		env = append(env, s[0]+"="+s[1])
	}
	return env
}
