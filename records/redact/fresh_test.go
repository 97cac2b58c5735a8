package redact

import (
	"encoding/base64"
	"fmt"
	"math/rand"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/git-trace/git-trace/records/redact/gitleaks"
)

// freshForms are secrets that the form of their line tells, or a name: no token looks like them. %s is the secret.
var freshForms = []struct {
	letters string
	length  int
	line    string
}{
	// attack F12
	{anyLetter, 16, "db.corp.example:5432:shop:app:%s"},
	{anyLetter, 16, "*:*:*:postgres:%s"},
	{smallDigits, 32, "Cookie: csrftoken=1; sessionid=%s"},
	{anyLetter, 24, "curl -H 'Cookie: theme=dark; lang=en; auth_session=%s; tz=UTC' https://example.com"},
	{smallDigits, 40, "{'Cookie': 'a=b; JSESSIONID=%s'}"},
	{anyLetter, 20, "set-cookie: __Secure-next-auth.session-token=%s; Path=/; HttpOnly"},
	{anyLetter, 16, "openssl rsa -in k -passin pass:%s"},
	{anyLetter, 16, "openssl pkcs12 -export -passin pass:changeit -passout pass:%s -out x.p12"},
	{anyLetter, 16, `net use Z: \\srv\s /user:bob %s`},
	{anyLetter, 16, `net use \\srv\s %s /user:CORP\bob`},
	{smallDigits, 32, "https://corp.webhook.office.com/webhookb2/8f14e45f-ceea-467a-9a36-dedd4bea2543@8f14e45f-ceea-467a-9a36-dedd4bea2544/IncomingWebhook/%s/8f14e45f"},
	{smallDigits, 32, "https://outlook.office.com/webhook/%s/IncomingWebhook"},
	{smallDigits, 32, "$ cat config/master.key\n%s"},
	{anyLetter, 16, "mysql -uroot -p%s shop"},
	{anyLetter, 16, "redis-cli -h cache -a %s ping"},
	{anyLetter, 16, "sshpass -p %s ssh root@host"},
	// a name that says authorization, with a word that says of which kind, in every way of quoting
	{smallDigits, 40, "curl -sH 'Authorization: token %s' https://git.example/api/v1/user"},
	{smallDigits, 40, "{'Authorization': 'token %s'}"},
	{smallDigits, 40, `{"Authorization": "Token %s"}`},
	{smallDigits, 40, `{"Authorization": "Token token=%s"}`},
	{smallDigits, 40, "http GET git.example Authorization:'token %s'"},
	{smallDigits, 40, "map[Accept:[*/*] Authorization:[token %s] User-Agent:[x]]"},
	{smallDigits, 40, `"Authorization" => "token %s"`},
	{smallDigits, 64, "Authorization: ApiKey %s"},
	{anyLetter, 40, "req.Header.Set(\"Authorization\", \"Bearer %s\")"},
	{anyLetter, 40, "Proxy-Authorization: Negotiate %s"},
	{smallDigits, 40, "HTTP_AUTHORIZATION=GenieKey %s"},
	{anyLetter, 40, "headers.authorization = `Splunk %s`"},
	{smallDigits, 40, "send: b'GET / HTTP/1.1\\r\\nAuthorization: token %s\\r\\n'"},
	{smallDigits, 40, "-H Authorization:\\ token\\ %s"},
	{smallDigits, 40, "authorization: %s"},
	// other pairs of cookies, and commands whose options have one letter
	{smallDigits, 32, "requests.get(url, cookies={'lang': 'en', 'sessionid': '%s'})"},
	{smallDigits, 32, "#HttpOnly_.example.org\tTRUE\t/\tFALSE\t1799999999\tsessionid\t%s"},
	{smallDigits, 32, "curl -b 'theme=dark; sid=%s' https://example.com"},
	{smallDigits, 32, `curl --cookie "lang=en; PHPSESSID=%s" https://example.com`},
	{anyLetter, 14, "curl -su admin:%s https://example.com"},
	{anyLetter, 14, "zip -rP %s a.zip dir"},
	{anyLetter, 14, "openssl enc -aes-256-cbc -k %s -in a"},
	{anyLetter, 14, "openssl pkcs12 -in a.p12 -nodes -passin 'pass:%s'"},
	{anyLetter, 14, "keytool -list -keystore a.jks -storepass %s"},
	{anyLetter, 14, "htpasswd -b .htpasswd bob %s"},
	{anyLetter, 14, "lftp -u bob,%s ftp.example.org"},
	// arguments of functions, documents of a shell, what a command writes, and scripts that type
	{anyLetter, 16, `cookies.set("sessionid", "%s", httpOnly=True)`},
	{anyLetter, 16, "res.cookie('connect.sid', '%s', { httpOnly: true });"},
	{anyLetter, 16, `browser.add_cookie({"name": "sessionid", "value": "%s"})`},
	{anyLetter, 20, "('Cookie', 'user_session=%s; logged_in=yes')"},
	{anyLetter, 16, "password = <<EOF\n%s\nEOF"},
	{anyLetter, 16, "token: <<~SECRET\n  %s\n  SECRET"},
	{anyLetter, 16, `(defvar *api-key* "%s")`},
	{anyLetter, 16, `(def ^:private db-password "%s")`},
	{anyLetter, 16, "127.0.0.1:6379> AUTH default %s"},
	{anyLetter, 16, "Driver={ODBC Driver 17};Server=h;UID=sa;PWD=%s;"},
	{anyLetter, 16, "\\set pw '%s'"},
	{anyLetter, 16, "EXEC sp_addlogin 'bob', '%s'"},
	{anyLetter, 16, "EXEC sp_addlogin N'bob', N'%s'"},
	{anyLetter, 16, `vercel env add API_TOKEN <<< "%s"`},
	{anyLetter, 16, "ansible-vault encrypt_string '%s' --name 'db_password'"},
	{anyLetter, 16, "keyPassword '%s'"},
	{anyLetter, 16, "openssl passwd -6 %s"},
	{anyLetter, 16, "expect \"Password:\"\nsend \"%s\\r\""},
	{anyLetter, 16, "jwt.sign(p, '%s')"},
	{anyLetter, 16, "crypto.createHmac('sha256', '%s')"},
	{anyLetter, 16, `hmac.new(b"%s", msg, sha256)`},
	{anyLetter, 16, `smtp.login("bob@example.org", "%s")`},
	{anyLetter, 16, `new NetworkCredential("bob", "%s")`},
	{anyLetter, 16, `DriverManager.getConnection(url, "bob", "%s")`},
	{anyLetter, 16, `DBI->connect($dsn, "bob", "%s")`},
	{anyLetter, 16, "export TOKEN=\"$(printf %s)\""},
	{anyLetter, 16, "Temporary password generated for root@localhost: %s"},
	{anyLetter, 16, "password: !vault_plain %s"},
	// commands that take a password by its place, and pairs of a login
	{anyLetter, 16, "wpa_passphrase HomeNet %s"},
	{anyLetter, 16, "curl -sSLu deploy:%s https://example.com/a"},
	{anyLetter, 16, "curl -u deploy:'%s' https://example.com/a"},
	{anyLetter, 16, "net user bob %s /add"},
	{anyLetter, 16, "htpasswd -bc .htpasswd bob %s"},
	{anyLetter, 16, "sqlplus -s scott/%s@orcl"},
	{anyLetter, 16, "ssh-keygen -t ed25519 -N %s -f k"},
	{anyLetter, 16, "vault login %s"},
	{anyLetter, 16, "cargo login %s"},
	{anyLetter, 16, "rabbitmqctl change_password bob %s"},
	{anyLetter, 16, "mosquitto_pub -u bob -P %s -t a -m b"},
	{anyLetter, 16, "twine upload -u __token__ -p %s dist/*"},
	{anyLetter, 16, "npm config set //registry.npmjs.org/:_authToken %s"},
	{anyLetter, 16, "poetry config http-basic.x user %s"},
	{anyLetter, 16, "poetry publish -u bob -p %s"},
	{anyLetter, 16, "$c = ConvertTo-SecureString \"%s\" -AsPlainText -Force"},
	{anyLetter, 16, "RABBITMQ_DEFAULT_PASS: \"%s\""},
	{anyLetter, 16, "- name: DB_PASSWORD\n  value: %s"},
	{anyLetter, 16, "variable \"db_password\" {\n  default = \"%s\"\n}"},
	{anyLetter, 16, "<param name=\"password\">%s</param>"},
	{anyLetter, 16, `{"adminPassword": {"value": "%s"}}`},
	{anyLetter, 16, "password <- \"%s\""},
	{anyLetter, 16, "composer config http-basic.repo.example.org user %s"},
	{anyLetter, 16, "rclone config create nas sftp host h user bob pass %s"},
	{anyLetter, 16, "ncftpput -u bob -p %s ftp.example.org /in a"},
	{anyLetter, 16, "useradd -m -p %s bob"},
	{anyLetter, 16, "SET PASSWORD FOR 'bob'@'%%' = '%s';"},
	{anyLetter, 16, "jdbc:oracle:thin:scott/%s@//db.example.org:1521/shop"},
	{anyLetter, 24, "curl https://api.stripe.com/v1/charges -u sk_live_%s:"},
	{anyLetter, 68, "https://discord.com/api/webhooks/561239616572422902/%s"},
	{anyLetter, 16, "kinit bob <<< %s"},
	{anyLetter, 16, "sudo -S <<< '%s' ls"},
	{anyLetter, 16, "mc alias set m https://example.com access %s"},
	{anyLetter, 16, "cmdkey /add:h /user:b /pass:%s"},
	{anyLetter, 16, "requirepass %s"},
	{anyLetter, 16, "ldap_bind_pw %s"},
	{anyLetter, 16, "requests.get(u, auth=('bob', '%s'))"},
	{anyLetter, 16, "HTTPBasicAuth(\"bob\", \"%s\")"},
	{anyLetter, 16, "#define WIFI_PASSWORD \"%s\""},
	{anyLetter, 16, "**Password:** %s"},
	{anyLetter, 16, "sqlcmd -S db -U sa -P'%s'"},
	{anyLetter, 16, "export RABBIT_PASSWORD=$'%s'"},
	{anyLetter, 16, "mysqladmin -u root password '%s'"},
	{smallDigits, 32, "(def api-key \"%s\")"},
	{anyLetter, 16, "(setq smtp-password \"%s\")"},
	{smallDigits, 32, "curl --data k=key-%s https://api.mailgun.net"},
	// authorization as parameters, as a member called value, and behind the name alone
	{smallDigits, 40, `Authorization: Hawk id="x", mac="%s"`},
	{smallDigits, 40, `RequestHeader set Authorization "token %s"`},
	{smallDigits, 40, `{"name": "authorization", "value": "token %s"}`},
	{smallDigits, 40, `r.headers['AUTHORIZATION'] = f"Token %s"`},
	{smallDigits, 32, "https://example.com/?key=%s&q=1"},
	// cookies whose names stand without quotes
	{smallDigits, 32, "session.cookies.update({'sessionid': '%s'})"},
	{smallDigits, 32, "cookies=dict(sessionid='%s')"},
	{smallDigits, 32, "cookies: { session: '%s' }"},
	{smallDigits, 32, `http.Cookie{Name: "session", Value: "%s"}`},
	{smallDigits, 32, "cookies['auth'] = '%s'"},
	{smallDigits, 32, "req.headers.cookie = 'connect.sid=%s'"},
	{smallDigits, 32, `set_cookie(key="sid", value="%s")`},
	{smallDigits, 32, "headers: {cookie: `sid=%s`}"},
	{smallDigits, 40, `h.Add("Authorization", "token "+"%s")`},
	{smallDigits, 40, "the Authorization header is `token %s`"},
	{anyLetter, 24, `xhr.setRequestHeader("Authorization", "Kestrel-Key %s");`},
	{smallDigits, 36, "  httpHeaders:\n    - name: Authorization\n      value: \"GenieKey %s\""},
	{smallDigits, 64, "Authorization: AWS4-HMAC-SHA256 Credential=x/20250301/s3, SignedHeaders=host, Signature=%s"},
	{smallDigits, 40, "cookies = dict(csrftoken='k', remember='%s')"},
	{smallDigits, 40, `{"github-oauth": {"github.com": "%s"}}`},
	{anyLetter, 16, "  password: B1ll&Ted+%s"},
	{anyLetter, 34, "SECRET_KEY = 'a@3nl!&nb%%qq!hq22=ln%%u4k$_iehi%%s$6%s'"},
	{anyLetter, 16, "jdbc:postgresql://db:5432/app?user=app&password=tractor%s.vl&ssl=true"},
	{smallDigits, 32, "req.AddCookie(&http.Cookie{\n\tName:  \"app_session\",\n\tValue: \"%s\",\n})"},
	{anyLetter, 32, `requests.get(url, cookies={"session": "eyJ9mc0LDaDG.ZK5Wxr.%s"})`},
	{anyLetter, 16, "[::1]:5432:notes:notes:%s"},
	{anyLetter, 16, "-xfreerdp /v:10.1.1.5 /u:Administrator /p:'%s' /cert:ignore"},
	{anyLetter, 16, "apksigner sign --ks release.jks --ks-pass pass:%s --key-pass env:KP app.apk"},
	{anyLetter, 16, "variable \"admin_password\" {\n  type    = string\n  default = \"%s\"\n}"},
	{anyLetter, 24, `authorizationHeader: "OAuth 2-294811-%s",`},
	{smallDigits, 32, "<RequestsCookieJar[<Cookie lang=en for a.example/>, <Cookie sessionid=%s for a.example/>]>"},
	{anyLetter, 12, "18:rabbitmqadmin -u admin -p %s list queues"},
	{anyLetter, 12, "echo '%s' | openconnect --user=mk --passwd-on-stdin vpn.example.com"},
	{anyLetter, 12, "spring.datasource.password: ${DB_PW:%s}"},
	{anyLetter, 12, `return { user = "lua", password = [[m0nd_%s]9]], retries = 3 }`},
	{anyLetter, 12, "\"Server=sql01;Database=Erp;User Id=erp;Password=Str0m.%s;TrustServerCertificate=true\""},
	{anyLetter, 12, "  password: !!str 'Igel''s-%s' # yaml"},
	{anyLetter, 12, "wpa_passphrase=Garten zwerg %s"},
	{smallDigits, 32, `proxy_set_header Cookie "app_session=%s";`},
	{smallDigits, 32, `{"name":"Cookie","value":"JSESSIONID=%s; lang=it"},`},
	{anyLetter, 16, "echo \"${{ vars.PGHOST }}:5432:ci:ci_runner:%s\" >> ~/.pgpass"},
	{smallDigits, 32, "@@ -1 +1 @@\n-*:5432:wiki:wiki:%s\n+*:5432:wiki:wiki_ro:"},
	{anyLetter, 16, "postgres:5432:postgres:pgadmin@example.com:%s"},
	{smallDigits, 28, `CMD ["redis-server", "--requirepass", "%s"]`},
	{anyLetter, 16, `{"command":["openssl","req","-x509","-passin","pass:%s"]}`},
	{anyLetter, 16, "  argv:\n    - openssl\n    - -passout\n    - \"pass:%s\"\n"},
	// words of a command in a list
	{anyLetter, 14, `subprocess.run(["mysql", "-uroot", "-p%s"])`},
	{anyLetter, 14, `exec.Command("curl", "-u", "bob:%s", u)`},
	{anyLetter, 14, "subprocess.run(['sshpass', '-p', '%s', 'ssh', 'h'])"},
	// what a command keeps as a secret
	{anyLetter, 16, "echo '%s' | gh secret set DEPLOY_KEY"},
	{anyLetter, 16, "vercel env add SECRET production <<< '%s'"},
	{anyLetter, 16, "openssl dgst -hmac '%s' f"},
	{anyLetter, 16, "pdftk a input_pw '%s' output b"},
	{anyLetter, 16, "vault operator unseal %s"},
	{anyLetter, 16, "snmpwalk -v2c -c %s h"},
	{anyLetter, 16, "new Sequelize('d', 'u', '%s')"},
}

const (
	anyLetter   = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"
	smallDigits = "0123456789abcdef"
)

// freshWays are how session files hold such lines.
var freshWays = map[string]func(line string) string{
	"as it stands":          func(s string) string { return "this is it:\n" + s + "\nand more" },
	"behind numbers":        func(s string) string { return numbered(s, "%6d\t") },
	"as the Read tool does": func(s string) string { return numbered(s, "%6d→") },
	"behind a prompt":       func(s string) string { return "user@host:~/src$ " + strings.ReplaceAll(s, "$ ", "") },
	"as JSON":               quoted,
	"as JSON twice":         func(s string) string { return quoted(quoted(s)) },
	"with CR":               func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") + "\r\n" },
	"in Markdown":           func(s string) string { return "```sh\n" + s + "\n```\n" },
	"in a diff":             func(s string) string { return "@@ -1 +1 @@\n+" + strings.ReplaceAll(s, "\n", "\n+") },
	"percent-encoded":       url.PathEscape,
	"base64":                func(s string) string { return "data " + base64.StdEncoding.EncodeToString([]byte(s)) },
}

// At least 98 of a hundred are found, in the ways that doc.go names.
func TestFormsOfLinesAreFound(t *testing.T) {
	t.Parallel()
	rules, err := gitleaks.Load()
	if err != nil {
		t.Fatal(err)
	}
	r, from := newRedactor(t, Options{Finder: rules}), rand.New(rand.NewSource(39))
	all, missed := 0, 0
	for way, write := range freshWays {
		for _, f := range freshForms {
			secret := random(from, f.letters, f.length-2) + "7a"
			text := write(fmt.Sprintf(f.line, secret))
			out := redacted(t, r, text)
			all++
			if left := remains(out, secret); left != "" || !strings.Contains(out, markerStart) {
				missed++
				t.Logf("%s: %q stays of %q: %q", way, left, text, out)
			}
		}
	}
	if all < 200 || float64(missed) > (1-leastFound)*float64(all) {
		t.Errorf("%d of %d are missed", missed, all)
	}
}

// A long line that speaks of secrets again and again is read once. Each name reads no more than its surroundings: the
// whole line for each would take half a minute.
func TestALongLineOfNamesIsReadOnce(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	s := r.begins.scan(strings.Repeat("a token is here and ", 80_000))
	began := time.Now()
	if found := s.spoken(); len(found) > 0 || time.Since(began) > 5*time.Second {
		t.Errorf("%d found after %v", len(found), time.Since(began))
	}
}

// What looks like one of them and is none stays as it is.
func TestLinesOfCodeStay(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	for _, text := range []string{
		"type Ed448PublicKey struct", "the Socks5AuthType2 of a token", "func (shaWith40BitRC2CBC) deriveKey()",
		"echo $TOKEN | gh secret set NAME", "cat log | grep \" secret value2 \"", "kubectl get secret db2 -o yaml | head -n 20",
		"pw = sync_playwright2()", `pw: await chromium.launch2()`, `login("user2", "Sign in to step 2")`,
		"jwt.sign({ sub: user.id2 }, privateKey2)", "createHmac('sha256', key2)", `connect("host2", "port2", "db2")`,
		"TOKEN=$(echo $RAW2)", "AUTH service2 is down", "expect \"Password:\"", "key <<EOF\nplain words\nEOF",
		"the password for host2: see vault", "cookies.set(\"theme\", \"dark-mode-2\")",
		"src/app.ts:120:export:const:value", "12:34:56:78:90", "a.go:120:5: undefined: thing2", "2026-11-27T10:11:12:000:x1",
		"cookie: theme=dark; lang=en_GB; width=1280", "func setCookie(name, value string) { http.SetCookie(w, &http.Cookie{Name: name}) }",
		"Authorization: Bearer $TOKEN", "headers: { Authorization: `Bearer ${token}` }", "\"Authorization\": \"token <your token here>\"",
		"the authorization of the payment service is checked before it answers", "authorization: rbac-authorizer-configuration",
		"webhook: https://example.com/webhooks/incoming", "see config/master.key, which is not in the repository\nand config/app.yml",
		"go test -pass 3 pass: 12 fail: 0", "net use is listed", "localhost:8080:80:tcp:web", "image: registry.example:5000:latest",
		"we use :5432: as the port", "docker run -p 127.0.0.1:8080:80/tcp x", "ok  \tpkg/a:100:a:b:c d e 1",
		"openssl rsa -check -in dh2048key.pem", "curl -fsSL -o out2.json https://example.com/b -b theme=dark", "htpasswd -b is not safe",
		"authorization: OrganizationAuthorizer2Configuration", "app.use(session({ cookie: { secure: true, sessionTTL: 86400 } }))",
		"cookies = {'theme': 'solarized-dark-2', 'width': '1280px'}", "name\tTRUE\tx1\tFALSE\t3", "password = previous.password2",
		"vault login is done by the agent", "cargo login first", "git log -p docs2/b4.md", "net user names are shown", "npm config set registry https://r2d2.example",
		"wpa_passphrase SSID passphrase", "sqlplus docs are here", "auth=('user', 'password')", "requirepass is set2 in the file", "git clone https://user-name-of-somebody@example.com/r.git",
		"pass: 'this text has more words'", "12-make test3 -p 4", "docker run -u node1 -p 8080:80 image2",
		"password: ${DB_PASSWORD:?must be set2}", "password: ${DB_PASSWORD:-changeme}", "mkdir -p dir1/dir2 -u x", "compare first_pass:12ab second_pass:34cd", "x --bypass:rule1",
		"variable \"admin_password\" {\n  type = string\n}\nvariable \"size\" {\n  default = \"t3.large2\"\n}",
		"zip -r docs2.zip docs1", "authorization: request.headers.authorization2024",
	} {
		if out := redacted(t, r, text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// On a line that speaks of a secret, what looks random is one, however the two are joined; on other lines it is not.
func TestWhatLooksRandomBesideANameIsFound(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	const token = "q7RtX2mBz9KwP4dL"
	for _, line := range []string{
		"aws ssm put-parameter --name /app/db_password --value '%s'", "The API key is \"%s\"", "use token %s for staging",
		"aws secretsmanager put-secret-value --secret-string %s", `{"auths": {"h": {"auth": "%s"}}}`, "tool -p %s list",
		"mosquitto_passwd -b /etc/p bob %s", "restic --password-command 'echo %s' snapshots", `-passin "pass:%s"`,
	} {
		text := fmt.Sprintf(line, token)
		if out := redacted(t, r, text); strings.Contains(out, token) {
			t.Errorf("it stays: %s", out)
		}
	}
	if out := redacted(t, r, "user: 'm',\n  pass: 'acdv jvsx ucci gvse'"); strings.Contains(out, "acdv") {
		t.Errorf("it stays: %s", out)
	}
	for _, text := range []string{"commit " + token, "the id is " + token + "\nand its password is elsewhere", "keyboard " + token} {
		if out := redacted(t, r, text); !strings.Contains(out, token) {
			t.Errorf("%q became %q", text, out)
		}
	}
}
