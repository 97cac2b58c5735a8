package redact

import "strings"

// standsIn reports whether a value is a placeholder and not a secret. Examples of placeholders are $PASSWORD, ***,
// <token>, {{ key }}, null, process.env.KEY, the name of a secret, a URL, a path.
func standsIn(value string) bool {
	if value == "" || strings.Contains(value, markerStart) || strings.Trim(value, "*.xX-_•?#0 …") == "" {
		return true
	}
	return refers(value) || plainWord(value) || ofWords(value) || shape(value)
}

// shape reports whether a value shows only the form of a secret: xxxxxxxx, a regular expression, a number in a program.
func shape(value string) bool {
	if strings.HasPrefix(value, "0x") || strings.HasPrefix(value, "-0x") {
		return len(value) < 20
	}
	for _, part := range [...]string{"xxxxxxxx", "XXXXXXXX", "[a-z", "[A-Z", "[0-9", `\w`, `\d`, `\x`, "your_", "YOUR_",
		"your-", "YOUR-", "EXAMPLE"} {
		if strings.Contains(value, part) {
			return true
		}
	}
	return false
}

// `refers` reports whether a value says where a secret is stored.
func refers(value string) bool {
	next := byte(0)
	if len(value) > 1 {
		next = value[1]
	}
	switch value[0] {
	case '$':
		if nameLetter(next) && !digit(next) || next == '{' || next == '(' || next == '_' || next == '\'' || next == '"' {
			return true
		}
	case '`', '(':
		return true
	case '{', '<', '[':
		return strings.ContainsAny(value[1:], "}>]") || len(value) < 3 || next == '{' || next == '%'
	case '%':
		if next == '(' || next == '{' || len(value) == 2 || strings.HasSuffix(value, "%") {
			return true
		}
	case '#':
		if next == '{' {
			return true
		}
	case ':', '@', '!', '&', '*':
		if name := strings.TrimRight(value[1:], "]})"); secretName(name) != says || value[0] == '!' &&
			strings.IndexFunc(name, notLetter) < 0 {
			return true
		}
	case '/', '~', '.':
		if looksLikePath(value) {
			return true
		}
	}
	if i := strings.Index(value, "://"); i > 0 && i < 20 {
		return true
	}
	for _, start := range [...]string{
		"process.env", "os.environ", "os.getenv", "os.Getenv", "env.", "env(", "ENV[", "ENV.", "getenv", "System.getenv",
		"import.meta", "secrets.", "secret/", "vault:", "var.", "local.",
		"data.", "config.", "self.", "this.", "args.", "options.", "opts.", "params.", "req.", "request.", "settings.",
		"cfg.", "props.", "std::", "arn:", "file:", "env:", "ssm:",
		"keychain:", "base64:", "sha256:", "sha1:", "sha512-", "sha256-", "bcrypt:", "$2a$", "$2b$", "$argon2", "pbkdf2",
		"data:", "cmd:", "ref:", "urn:", "uid:", "ssh-rsa", "ssh-ed25519", "required|",
	} {
		if strings.HasPrefix(value, start) {
			return true
		}
	}
	if signs := strings.Map(sign, value); len(value) >= 32 && len(signs) >= 6 && bits(value) >= 4 { // random signs
		return false
	}
	return strings.Contains(value, "/secrets/") || strings.Contains(value, "${") || strings.Contains(value, "{{") ||
		strings.Contains(value, "#{") || strings.Contains(value, "<%") ||
		strings.Contains(value, "...") || strings.Contains(value, "***") || strings.Contains(value, "…") ||
		strings.Contains(value, "%s") || strings.Contains(value, "%v") ||
		strings.Contains(value, "$(")
}

// sign keeps only special characters that do not occur in paths or in references to a value.
func sign(r rune) rune {
	if strings.ContainsRune("!@#%^&*+=~|", r) {
		return r
	}
	return -1
}

func notLetter(r rune) bool { return r > 0x7f || !lower(byte(r)|0x20) }

// looksLikePath reports whether a value is a path: it consists of letters and has a second slash or an ending.
func looksLikePath(value string) bool {
	rest := strings.TrimLeft(value, "~./")
	if len(rest) == len(value) || value[0] == '.' && value[1] != '/' && value[1] != '.' {
		return false
	}
	for i := range len(rest) {
		if c := rest[i]; !nameByte(c) && c != '/' && c != '*' {
			return false
		}
	}
	return strings.Contains(rest, "/") || strings.Contains(rest, ".") ||
		strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz-_") == ""
}

// plainWord reports whether a value is a word that programs and forms use as a value.
func plainWord(value string) bool {
	switch strings.ToLower(strings.Trim(value, " ?!;,")) {
	case "true", "false", "null", "nil", "none", "undefined", "nan", "yes", "no", "on", "off", "ok", "string", "str",
		"text", "number", "int", "int64", "int32", "uint64", "float64",
		"integer", "bool", "boolean", "any", "unknown", "bytes", "byte", "[]byte", "object", "array", "list", "dict", "map",
		"void", "never", "buffer", "varchar", "char", "uuid",
		"secretstr", "securestring", "optional", "required", "expired", "invalid", "valid", "missing", "incorrect", "wrong",
		"set", "unset", "present", "absent", "found",
		"configured", "enabled", "disabled", "stored", "encrypted", "hashed", "hidden", "masked", "changeme", "change_me",
		"change-me", "todo", "tbd", "fixme", "n/a", "na", "self", "this", "await",
		"async", "function", "func", "return", "new", "const", "let", "var", "if", "else", "for", "in", "is", "not", "and",
		"or", "to", "the", "a", "an", "of", "with", "from",
		"option", "flag", "field", "value", "values", "literal", "ident", "identifier", "keyword", "eof", "eol", "newline",
		"comma", "default", "manual", "auto", "inherit", "never_expires",
		"primary", "unique", "index", "foreign", "public", "private", "protected", "static", "final", "readonly", "props",
		"pass", "fail", "passed", "failed", "error", "type", "name",
		"basic", "bearer", "oauth", "oauth2", "jwt", "saml", "ldap", "kerberos", "digest", "ntlm", "code", "hash", "prompt",
		"stdin", "env", "file", "keychain", "keyring", "vault", "argument",
		"github", "gitlab", "google", "oidc", "session", "cookie", "header", "query", "body", "user", "username", "email",
		"password1", "req", "res", "ctx", "data", "input", "output", "args",
		"opts", "options", "config", "settings", "params", "event", "item", "key", "id", "url", "uri", "path", "start", "end",
		"next", "prev", "current", "static_token":
		return true
	}
	return false
}

// ofWords reports whether a value consists of example words and names of secrets, and has no digit.
func ofWords(value string) bool {
	if len(value) > longestSecretName || strings.ContainsAny(value, "0123456789!@#$%^&*+=~|\\;") {
		return false
	}
	words, others, named := wordsOf(value), 0, false
	for _, word := range words {
		switch word {
		case "test", "tests", "testing", "fake", "dummy", "mock", "mocked", "example", "sample", "your", "my", "placeholder",
			"xxx", "xxxx", "foo", "bar", "baz", "password", "passwd",
			"passphrase", "pass", "pw", "pwd", "secret", "secrets", "token", "tokens", "key", "keys", "api", "apikey", "here",
			"value", "some", "the", "a", "an", "new", "old", "invalid",
			"valid", "wrong", "bad", "user", "username", "todo", "redacted", "hidden", "masked", "none", "null", "empty",
			"default", "insert", "enter", "replace", "me", "with",
			"string", "random", "very", "super", "is", "not", "client", "access", "auth", "oauth", "bearer", "refresh", "id",
			"private", "public", "app", "db", "database", "admin",
			"credential", "credentials", "set", "unset", "env", "var", "name", "field", "input", "type", "jwt", "session",
			"signing", "encryption", "github", "gitlab", "openai", "anthropic",
			"aws", "google", "azure", "slack", "stripe", "npm", "bot", "service", "account", "master", "root", "this", "that",
			"and", "or", "to", "for", "of", "in", "on", "no", "yes", "change",
			"changeme", "please", "goes", "generate", "generated", "long", "short", "real", "actual", "production", "staging",
			"dev", "local", "required", "missing", "expired", "confirm",
			"confirmation", "current", "forgot", "reset", "update", "hash", "hashed", "encrypted", "from", "get", "post", "put",
			"store", "provider", "manager", "resolver", "server", "request",
			"response", "header", "headers", "config", "options", "error", "webhook", "signature", "csrf", "xsrf", "cookie",
			"verify", "verification", "header2", "live", "prod", "as", "by", "must",
			"be", "least", "at", "characters", "do", "match", "your-", "any", "other", "another", "good", "strong", "weak",
			"same", "different", "first", "second", "unknown", "shared":
			named = named || lastWord(word, "") != says
		default:
			others++
		}
	}
	return len(words) > 0 && (others == 0 || named && len(words) > 1 && strings.ToLower(value) == value)
}

// inFours reports whether a value is an app password, as mail services generate them: abcd efgh ijkl mnop.
func inFours(value string) bool {
	const length = 19
	if len(value) != length {
		return false
	}
	for i := range len(value) {
		if (i%5 == 4) != (value[i] == ' ') || value[i] != ' ' && !lower(value[i]) {
			return false
		}
	}
	return bits(value) >= 3
}

// mixedKinds reports whether a value is more than a word or a name: it has letters and digits, or is a long number.
func mixedKinds(value string) bool {
	return len(value) >= 6 && letterAndDigit(value) || len(value) >= 12 && strings.Trim(value, "0123456789") == ""
}

// `counted` reports whether a value is words with a number, as in examples and tests: token-1, user_2.
func counted(value string) bool {
	trimmed := strings.TrimRight(value, "0123456789")
	return len(value)-len(trimmed) <= 2 && lowerWord(strings.NewReplacer("-", "", "_", "").Replace(trimmed))
}

// hyphenatedWords reports whether a value is three or more words without a digit. It is then the name of a key, not a
// key.
func hyphenatedWords(value string) bool {
	return strings.IndexFunc(value, func(r rune) bool {
		return r < 0x80 && !lower(byte(r)|0x20) && r != '-' &&
			r != '_'
	}) < 0 && strings.Count(value, "-")+strings.Count(value, "_") >= 2
}

// `otherwise` returns the default in ${NAME:…} or ${NAME:-…}; else the value itself.
func (c *candidate) otherwise(start, end int) (from, to int) {
	value := c.text[start:end]
	name := strings.TrimPrefix(value, "${")
	length := 0
	for length < len(name) && nameByte(name[length]) {
		length++
	}
	rest := name[length:]
	if len(name) == len(value) || length == 0 || !strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, ":?") {
		return start, end
	}
	inner := strings.TrimPrefix(strings.TrimPrefix(rest, ":"), "-")
	from = end - len(inner)
	return from, from + len(strings.TrimSuffix(inner, "}"))
}
