package redact

import "testing"

// The machine and the domains of mail say where somebody works.
func TestMachinesAndDomainsOfMailAreTakenOut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{"Linux Wintermute-07 6.1.0 x86_64", "Linux host 6.1.0 x86_64"},
		{"vic@wintermute-07:~/src$ make", "vic@host:~/src$ make"},
		{"ssh Wintermute-07.corp.acme.com; ping wintermute-07.local", "ssh host; ping host"},
		{"not wintermute-071, not xwintermute-07", "not wintermute-071, not xwintermute-07"},
		{"write to bob@acme.com, or <eve@mail.acme.co.uk>.", "write to bob@mail.example, or <eve@mail.example>."},
		{"mailto:bob@acme.com?subject=x", "mailto:bob@mail.example?subject=x"},
		{`"email":"bob.x+y@acme.de"`, `"email":"bob.x+y@mail.example"`},
		{"Signed-off-by: Bob <Bob@ACME.COM>", "Signed-off-by: Bob <Bob@mail.example>"},
		{`a\nbob@acme.io\nb`, `a\nbob@mail.example\nb`},
		{"bob%40acme.io", "bob%40mail.example"},
		{"root@build7:/srv# ls", "root@host:/srv# ls"},
		{"rsync -a x deploy@db3.prod:/srv/x", "rsync -a x deploy@host:/srv/x"},
		{"bob@vics-mac.local", "bob@mail.example"},
	} {
		r := newRedactor(t, Options{Hosts: []string{"Wintermute-07.corp.acme.com"}})
		out := redacted(t, r, test.in)
		if out != test.want {
			t.Errorf("%q became %q, want %q", test.in, out, test.want)
		}
		if again := redacted(t, r, out); again != out {
			t.Errorf("%q became %q", out, again)
		}
	}
}

// What programs write with an @ is no mail, and what is everybody's tells nothing.
func TestWhatIsNoMailStays(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{Hosts: []string{"localhost", "ubuntu", "server", "vm", "desktop.local"}})
	for _, text := range []string{
		"git@github.com:a/b.git", "noreply@anthropic.com", "1+a@users.noreply.github.com", "a@example.com", "u@h.test",
		"react@18.2.0", "@scope/pkg@1.2.3", "actions/checkout@v4", "golang.org/x/tools@v0.1.0", "image@sha256:abc",
		"logo@2x.png", "getty@tty1.service", "this@MainActivity.name", "pbmc@meta.data", "x = q@k.to(device)", "A@B.T",
		"@app.route('/')\n@pytest.mark", "id=item-@model.id", "ssh://bob@bitbucket.org/a/b.git", "return@forEach.id",
		"http://user:password@acme.com/x", "root@localhost:~#", "user@server:/srv", "foo@bar.js", "the desktop of a server",
		"10@2.de", "root@bcd3959393a1:/workspace #", "test@test.com", "a@b@c.com",
	} {
		if out := redacted(t, r, text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}
