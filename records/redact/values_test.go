package redact

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/records/redact/gitleaks"
)

// passwords are values that only their names tell to be secrets.
var passwords = []string{
	"hunter2", "letmein", "Sommer2024!", "correct-horse-battery-staple", "s3cr3t!", "P@ssw0rd", "qwerty123", "trustno1", "iloveyou", "dragon99", "Tr0ub4dor&3", "monkey", "x7Kp2m", "swordfish",
	"Winter#2023", "abc12345", "zxcvbnm", "1q2w3e4r", "fluffy-cat-77", "mypass9",
}

// heldBy are the ways in which names hold passwords.
var heldBy = []struct {
	name string
	text func(value string) string
}{
	{"JSON", func(v string) string { return `{"user": "app", "password": "` + v + `", "port": 5432}` }},
	{"JSON without spaces", func(v string) string { return `{"user":"app","dbPassword":"` + v + `"}` }},
	{"JSON in a text of JSON", func(v string) string { return quoted(`{"client_secret": "` + v + `"}`) }},
	{"JSON over lines", func(v string) string { return "{\n  \"adminPassword\": \"" + v + "\",\n  \"a\": 1\n}" }},
	{"an option and a space", func(v string) string { return "server --user app --password '" + v + "' --port 1" }},
	{"an option without quotes", func(v string) string { return "server --password " + shellSafe(v) + " --port 1" }},
	{"an option and a sign", func(v string) string { return "server --db-password=" + shellSafe(v) + " start" }},
	{"an option of PowerShell", func(v string) string { return `New-Thing -Name x -Password "` + v + `"` }},
	{"mysql -p", func(v string) string { return "mysql -u root -p'" + v + "' app < dump.sql" }},
	{"mysql -p without quotes", func(v string) string { return "$ mysqldump -h db -uroot -p" + shellSafe(v) + " app" }},
	{"sshpass", func(v string) string { return "sshpass -p '" + v + "' ssh a@b" }},
	{".netrc", func(v string) string { return "machine example.com login app password " + shellSafe(v) + "\n" }},
	{".netrc over lines", func(v string) string { return "machine example.com\n  login app\n  password " + shellSafe(v) + "\n" }},
	{"a variable", func(v string) string { return "DB_HOST=db\nDB_PASSWORD=" + shellSafe(v) + "\nDB_NAME=app\n" }},
	{"a variable that is printed", func(v string) string { return "HOME=/root\nPGPASSWORD=" + shellSafe(v) + "\nTERM=xterm" }},
	{"export", func(v string) string { return "export SMTP_PASS=\"" + v + "\"" }},
	{"a variable before a command", func(v string) string { return "PGPASSWORD=" + shellSafe(v) + " psql -h db" }},
	{"YAML", func(v string) string { return "db:\n  user: app\n  password: " + shellSafe(v) + "\n  port: 1\n" }},
	{"YAML in quotes", func(v string) string { return "db:\n  password: \"" + v + "\"\n" }},
	{"a list of YAML", func(v string) string { return "env:\n  - name: DB_PASSWORD\n    value: \"" + v + "\"\n" }},
	{"compose", func(v string) string { return "environment:\n  - POSTGRES_PASSWORD=" + shellSafe(v) + "\n" }},
	{"compose as a map", func(v string) string { return "environment:\n  MYSQL_ROOT_PASSWORD: " + shellSafe(v) + "\n" }},
	{"TOML", func(v string) string { return "[db]\npassword = \"" + v + "\"\n" }},
	{"ini", func(v string) string { return "[client]\nuser = app\npassword = " + shellSafe(v) + "\n" }},
	{"ini without spaces", func(v string) string { return "[client]\nuser=app\npassword=" + shellSafe(v) + "\n" }},
	{"properties", func(v string) string { return "spring.datasource.password=" + shellSafe(v) + "\n" }},
	{"a connection string", func(v string) string {
		return "Server=db;Database=app;User Id=sa;Password=" + strings.ReplaceAll(v, "&", "") + ";Encrypt=true"
	}},
	{"a connection string in quotes", func(v string) string { return `conn = "host=db user=app password=` + shellSafe(v) + ` dbname=app"` }},
	{"a URL", func(v string) string {
		return "postgres://app:" + strings.NewReplacer("@", "%40", "#", "%23").Replace(v) + "@db:5432/app"
	}},
	{"a query", func(v string) string {
		return "GET /login?user=app&password=" + strings.NewReplacer("&", "%26", "#", "%23").Replace(v) + "&x=1"
	}},
	{"HTTP's basic authentication", func(v string) string {
		return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("app:"+v))
	}},
	{"curl -u", func(v string) string { return "curl -s -u 'app:" + v + "' https://example.com" }},
	{"curl --user", func(v string) string { return "curl --user app:" + shellSafe(v) + " https://example.com" }},
	{"PowerShell", func(v string) string { return `$env:DB_PASSWORD = "` + v + `"` }},
	{"set", func(v string) string { return "set DB_PASSWORD=" + shellSafe(v) + "\r\n" }},
	{"docker run -e", func(v string) string { return "docker run -e MYSQL_ROOT_PASSWORD='" + v + "' -d mysql" }},
	{"docker run without quotes", func(v string) string { return "docker run -e POSTGRES_PASSWORD=" + shellSafe(v) + " -d postgres" }},
	{"ENV", func(v string) string { return "FROM x\nENV DB_PASSWORD " + shellSafe(v) + "\n" }},
	{"docker login", func(v string) string { return "docker login -u app -p '" + v + "' registry.example.com" }},
	{"a pipe", func(v string) string { return "echo '" + v + "' | docker login -u app --password-stdin" }},
	{"IDENTIFIED BY", func(v string) string { return "CREATE USER 'app'@'%' IDENTIFIED BY '" + v + "';" }},
	{"WITH PASSWORD", func(v string) string { return "ALTER ROLE app WITH PASSWORD '" + v + "';" }},
	{"XML", func(v string) string {
		return "<user>app</user><password>" + strings.ReplaceAll(v, "&", "&amp;") + "</password>"
	}},
	{"a pair of XML", func(v string) string {
		return `<add key="DbPassword" value="` + strings.ReplaceAll(v, "&", "&amp;") + `" />`
	}},
	{"Python", func(v string) string { return `connect(user="app", password="` + v + `")` }},
	{"Python with a type", func(v string) string { return `password: str = "` + v + `"` }},
	{"Go", func(v string) string { return "cfg := Config{\n\tUser:     \"app\",\n\tPassword: \"" + v + "\",\n}" }},
	{"Ruby", func(v string) string { return `  :password => '` + v + `',` }},
	{"PHP", func(v string) string { return `$config['password'] = '` + v + `';` }},
	{"JavaScript", func(v string) string { return "const dbPassword = '" + v + "';" }},
	{"Terraform", func(v string) string { return "resource \"x\" \"y\" {\n  master_password = \"" + v + "\"\n}" }},
	{"kubectl", func(v string) string { return "kubectl create secret generic x --from-literal=password='" + v + "'" }},
	{"a diff", func(v string) string { return "@@\n-  password: old\n+  password: " + shellSafe(v) + "\n" }},
	{"a file with numbers of lines", func(v string) string {
		return "     1→[db]\n     2→user=app\n     3→password=" + shellSafe(v) + "\n"
	}},
	{"coloured", func(v string) string { return "\x1b[33mpassword\x1b[0m: \x1b[32m\"" + v + "\"\x1b[0m" }},
}

// shellSafe leaves out what would need quotes.
func shellSafe(v string) string { return strings.NewReplacer("!", "", "&", "", "#", "").Replace(v) }

// leastNamed is the share of the values behind names that must be found.
const leastNamed = 0.95

func TestValuesBehindNamesThatSaySecretAreFound(t *testing.T) {
	t.Parallel()
	rules, err := gitleaks.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, holder := range heldBy {
		t.Run(holder.name, func(t *testing.T) {
			t.Parallel()
			r := newRedactor(t, Options{Finder: rules})
			missed := 0
			for _, v := range passwords {
				text := holder.text(v)
				out := redacted(t, r, text)
				clean := strings.ToLower(out)
				if strings.Contains(clean, strings.ToLower(v)) || strings.Contains(clean, strings.ToLower(shellSafe(v))) || !strings.Contains(out, markerStart) {
					missed++
					t.Logf("%q became %q", text, out)
				}
				if again := redacted(t, r, out); again != out {
					t.Errorf("redacting twice changes %q to %q", out, again)
				}
			}
			if float64(missed) > (1-leastNamed)*float64(len(passwords)) {
				t.Errorf("%d of %d are missed", missed, len(passwords))
			}
		})
	}
}

func TestEveryNameOfASecretCounts(t *testing.T) {
	t.Parallel()
	const strong, weak = "letmein", "k3y9x2m4q7z1"
	for _, name := range []string{
		"password", "PASSWORD", "Password", "passwd", "passphrase", "pwd", "secret", "client_secret", "clientSecret", "JWT_SECRET", "app-secret", "DB_PASS", "dbPass", "api_key", "apiKey", "API-KEY",
		"apikey", "APIKEY", "private_key", "PRIVATE_KEY", "secretKey", "secret_access_key", "AWS_SECRET_ACCESS_KEY", "encryption_key", "master_key", "admin_password", "root.password",
		"spring.datasource.password", "passwort", "PGPASSWORD", "MYSQL_PWD", "DB_PASSWORD_PROD", "password1",
	} {
		if secretName(name) != tells {
			t.Errorf("%s says %d", name, secretName(name))
		}
		if got := newPatterns().begins.scan(name + `: "` + strong + `"`).values(); len(got) != 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, name := range []string{
		"token", "TOKEN", "access_token", "accessToken", "GITHUB_TOKEN", "x-auth-token", "refresh_token", "bot_token", "authtoken", "credential", "credentials", "signing_key", "auth_key", "_auth_x_token",
		"pass", "jwt", "bearer",
	} {
		if secretName(name) != hints {
			t.Errorf("%s says %d", name, secretName(name))
		}
		if got := newPatterns().begins.scan(name + `: "` + weak + `"`).values(); len(got) != 1 {
			t.Errorf("%s: %v", name, got)
		}
		if got := newPatterns().begins.scan(strings.ToLower(name) + `: "` + strong + `"`).values(); len(got) != 0 {
			t.Errorf("%s of a word: %v", name, got)
		}
	}
	for _, name := range []string{
		"password_hash", "max_tokens", "maxTokens", "token_count", "next_token", "nextPageToken", "eos_token", "is_password", "no_password", "public_key", "primary_key", "key", "cache_key",
		"forgot_password", "keyboard", "passenger", "compass", "bypass", "secretary", "tokenizer", "author", "authority", "PWD", "OLDPWD", "PASS", "passed", "secret_name", "monkey", "passwords_path",
		"token_type", "hotkey", "min_password", "", "_", "x",
	} {
		if got := secretName(name); got != says {
			t.Errorf("%s says %d", name, got)
		}
	}
}

func TestWhatStandsForASecretStays(t *testing.T) {
	t.Parallel()
	r := newRedactor(t, Options{})
	for _, text := range []string{
		"DB_PASSWORD=$DB_PASSWORD", "DB_PASSWORD=${DB_PASSWORD:-x}", "PASSWORD=***", `"password": "***"`, `"password": "********"`, `"password": "<password>"`, "--password <password>",
		"password: process.env.DB_PASSWORD,", `password = os.environ["DB_PASSWORD"]`, `password = os.getenv("DB_PASSWORD")`, "password: string;", "password: str", "password: Optional[str] = None",
		"password: null", `"password": null`, `"password": true`, `"password": ""`, "password=", "password: ''", "token: undefined,", "const token = await getToken();", "password = get_password()",
		"self.password = password", "this.password = password;", "password=password, user=user", "login(user, password=pw)", "token := parser.next()", "if token == nil {", "token, err := f()",
		"func check(password string) error", "def login(self, password: str) -> bool:", "secret: ${{ secrets.GITHUB_TOKEN }}", "token: ${{ github.token }}", "password: {{ .Values.password }}",
		"password: !vault |", "password: <%= ENV['DB_PASSWORD'] %>", `"password": "required|min:8"`, `label: "Password"`, `<input type="password" name="password">`, `placeholder="Enter your password"`,
		`password: "Password is required"`, "The password must have 8 characters.", "password: required", "--password string   the password", "Use the --token flag to log in.", "--password PASSWORD",
		"--- PASS: TestThing1 (0.00s)", "PASS: 12", "auth: round-2 review", "api_key = your_api_key_here", "API_KEY=your-api-key-here", `API_KEY="changeme"`, "export OPENAI_API_KEY=sk-...", "OPENAI_API_KEY=<your key>",
		`token: "IDENT"`, `"token": "the"`, `{"type": "token", "value": "x"}`, "max_tokens: 4096", `"max_tokens": 4096, "token_count": 12`, "key: value", `"key": "some-key-1"`, "primary_key=id1",
		"PWD=/home/user/src", "OLDPWD=/tmp/a1", `password: "/run/secrets/db_password"`, "DB_PASSWORD_FILE=/run/secrets/db", `"secret": "projects/1/secrets/x"`, "secretKeyRef:\n  name: db-secret\n  key: password",
		"token = tokens[i]", "token = token1", "token: Token,", "pub token: String,", "password Password", "Password  string `json:\"password\"`", "private String password;", "let password = \"\";",
		"password_hash: abc", "| password | string | the password |", "mysql -u root -p app", "mysql -u root -p$PASS", "curl -u $USER:$PASS https://x", "echo $TOKEN | docker login --password-stdin",
		"IDENTIFIED BY '***'", "token: \"test-token\"", "secret: 'my-secret'", "# password", "password\n\nnext", "password:\n\nnext", "the token is invalid", "The secret is that it works",
		"sort_key: abc123def", "tokens: 12k", "\"tokens\": {\"input\": 1}", "import token from 'token1'", "git commit -m 'auth: token2'", "token_type: bearer", "set password for user", "passwd: files systemd",
		"password:x:0:0", "secrets.token_hex(16)", "credentials: 'include'", "credentials: 'same-origin'", "pass: boolean", `{"pass": 12, "fail": 0}`,
	} {
		if out := redacted(t, r, text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// The names of what is found are cut into words as programs write them.
func TestNamesAreCutIntoWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"DB_PASSWORD": "db password", "dbPassword": "db password", "DBPassword": "db password", "x-api-key": "x api key", "a.b.c": "a b c", "APIKey2": "api key2", "": "", "__a__": "a", "HTMLToken": "html token",
	} {
		if got := strings.Join(wordsOf(name), " "); got != want {
			t.Errorf("%q is cut into %q, want %q", name, got, want)
		}
	}
}

func ExampleRedactor_Text() {
	r, err := New(Options{Names: []string{"alice"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, n, err := r.Text(context.Background(), "alice runs DB_PASSWORD=letmein make")
	fmt.Println(out, n, err)
	// Output: user runs DB_PASSWORD=[REDACTED:named-secret] make 2 <nil>
}
