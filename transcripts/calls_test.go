package transcripts

import "testing"

// A command that may write makes what a person typed meanwhile nobody's, where no hook told of it.
func TestWhichCommandsOnlyRead(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"ls -la src | head -3":                              true,
		"git status --short 2>/dev/null && git diff --stat": true,
		"cd sub; grep -rn 'a > b' . 2>&1":                   true,
		"LANG=C sort names | uniq -c":                       true,
		"find . -name '*.go'":                               true,
		"sed -n 1,20p a.go":                                 true,
		"git -C sub log -3":                                 true,
		"echo done":                                         true,
		"find . -name '*.o' -delete":                        false,
		"sed -i s/a/b/ a.go":                                false,
		"cat a > b":                                         false,
		"grep x a | tee b":                                  false,
		"npm run format":                                    false,
		"make -s test":                                      false,
		"git checkout -- a.go":                              false,
		"echo $(touch a)":                                   false,
		"ls && python3 fix.py":                              false,
		"sort -o a a":                                       false,
	} {
		if got := readsOnly(command); got != want {
			t.Errorf("%q only reads: %v, want %v", command, got, want)
		}
	}
}
