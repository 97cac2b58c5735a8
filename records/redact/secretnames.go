package redact

import "strings"

// strength says how surely the name of a value means a secret.
type strength int

const (
	says  strength = iota // not a secret
	hints                 // a token or a key: it is a secret unless it is a word
	tells                 // a password: any value is a secret, except a placeholder
)

// longestSecretName limits the length of a name, in bytes.
const longestSecretName = 80

// secretName judges a name by the last of its words. DB_PASSWORD, clientSecret and x-api-key are names of secrets;
// password_hash and max_tokens are not.
func secretName(name string) strength {
	if name == "PWD" || name == "OLDPWD" || name == "PASS" || len(name) > longestSecretName {
		return says
	}
	words := wordsOf(name)
	for len(words) > 0 && (strings.Trim(words[len(words)-1], "0123456789") == "" || beside(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return says
	}
	last, before := words[len(words)-1], ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	last = strings.TrimRight(last, "0123456789")
	s := lastWord(last, before)
	if s == says {
		return says
	}
	for _, word := range words[:len(words)-1] {
		if otherwise(word) || s == hints && ofTexts(word) {
			return says
		}
	}
	return s
}

// `beside` reports whether a last word leaves the meaning of the name unchanged: DB_PASSWORD_PROD.
func beside(word string) bool {
	switch word {
	case "prod", "production", "dev", "staging", "stage", "test", "live", "sandbox", "old", "new", "default", "backup",
		"local", "plain", "plaintext", "raw",
		"value", "base", "b":
		return true
	}
	return false
}

func lastWord(last, before string) strength {
	switch last {
	case "pwd", "passwort", "kennwort", "contrasena", "senha", "motdepasse", "wachtwoord", "psk", "sshpass", "pgpass",
		"dbpass", "storepass", "keypass", "requirepass", "masterauth", "srcstorepass", "deststorepass":
		return tells
	case "pass":
		switch {
		case before == "":
			return hints
		case holdsPass(before):
			return tells
		}
		return says
	case "auth", "oauth":
		if before == "" {
			return says
		}
		return hints
	case "pw", "cred", "creds", "credential", "credentials", "bearer", "jwt", "pat", "passkey":
		return hints
	case "key":
		return keyOf(before)
	case "string":
		if before == "connection" {
			return hints
		}
	}
	switch {
	case strings.HasSuffix(last, "assword"), strings.HasSuffix(last, "passwd"), strings.HasSuffix(last, "passphrase"),
		last == "passcode",
		strings.HasSuffix(last, "secret") && last != "libsecret", strings.HasSuffix(last, "apikey"),
		strings.HasSuffix(last, "secretkey"),
		strings.HasSuffix(last, "accesskey"), strings.HasSuffix(last, "privatekey"):
		return tells
	case strings.HasSuffix(last, "token"), strings.HasSuffix(last, "authkey"), strings.HasSuffix(last, "signingkey"),
		strings.HasSuffix(last, "accountkey"),
		strings.HasSuffix(last, "encryptionkey"):
		return hints
	}
	return says
}

func keyOf(kind string) strength {
	switch kind {
	case "api", "secret", "private", "access", "encryption", "master", "account", "sharedaccess":
		return tells
	case "signing", "auth", "storage", "app", "application", "admin", "license", "licence", "deploy", "shared", "webhook",
		"session", "hmac", "aes", "jwt", "ssh",
		"cookie", "crypto", "consumer", "subscription", "service", "integration", "ingest", "write", "write_key", "sas",
		"function", "host", "client", "user", "server",
		"project", "publish", "installation", "registration", "ssl", "tls", "stripe", "openai", "anthropic", "gemini",
		"sendgrid", "datadog", "dd", "mailgun", "algolia", "age":
		return hints
	}
	return says
}

// holdsPass reports whether "pass" after this word means a password.
func holdsPass(who string) bool {
	switch who {
	case "db", "database", "user", "admin", "root", "mysql", "pg", "postgres", "postgresql", "smtp", "mail", "email",
		"ftp", "sftp", "redis", "rabbitmq", "mq", "ldap",
		"ssh", "sudo", "vpn", "wifi", "keystore", "store", "key", "auth", "login", "basic", "http", "proxy", "jenkins",
		"mongo", "mongodb", "imap", "pop3", "sql", "app",
		"default", "initial", "bootstrap", "superuser", "minio", "influx", "clickhouse", "neo4j", "keycloak", "zabbix",
		"service", "api", "my", "test", "docker", "registry", "git", "nexus", "artifactory", "ansible", "become", "elastic",
		"es", "grafana", "vault", "kafka", "api2", "rdp", "win", "cert", "p12", "pfx":
		return true
	}
	return false
}

// `otherwise` reports whether a word in a name shows that its value is not a secret: no_password, isToken, next_token.
func otherwise(word string) bool {
	switch word {
	case "no", "not", "is", "has", "have", "use", "uses", "using", "show", "hide", "toggle", "forgot", "forget",
		"forgotten", "reset", "change", "changed", "min", "max", "num",
		"number", "count", "next", "prev", "previous", "page", "continuation", "pagination", "by", "with", "without",
		"missing", "invalid", "validate", "verify", "require",
		"requires", "required", "need", "needs", "allow", "allows", "enable", "enabled", "disable", "disabled", "public",
		"pub", "sort", "partition", "primary", "foreign", "cache",
		"type", "kind", "hash", "hashed", "length", "len", "size", "supports", "support", "can", "should", "on", "if", "find",
		"detect", "redact", "mask", "masked", "strip", "skip",
		"ignore", "ask", "prompt", "generate", "gen", "rotate", "check", "compare", "match", "matches", "contains",
		"includes", "bad", "wrong", "save", "remember", "expired":
		return true
	}
	return false
}

// ofTexts reports whether a word in a name shows that "token" means a unit of text or of a computation.
func ofTexts(word string) bool {
	switch word {
	case "eos", "bos", "pad", "unk", "sep", "cls", "special", "start", "end", "begin", "stop", "first", "last", "current",
		"cancellation", "cancel", "abort", "syntax", "lex", "lexer", "parser",
		"text", "input", "output", "completion", "total", "per", "estimated", "reasoning", "thinking", "used", "budget",
		"string", "punctuation", "comment", "identifier",
		"operator", "peek", "lookahead", "expected", "unexpected", "yield", "resume", "sync", "delta", "change", "cached",
		"context", "color", "theme", "design", "css":
		return true
	}
	return false
}

// wordsOf splits a name into its words, in lower case: at characters other than letters and digits, and before
// capitals.
func wordsOf(name string) []string {
	var words []string
	start := 0
	cut := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(name[start:end]))
		}
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case !nameLetter(c):
			cut(i)
			start = i + 1
		case upper(c) && i > start && (!upper(name[i-1]) || i+1 < len(name) && lower(name[i+1])):
			cut(i)
			start = i
		}
	}
	cut(len(name))
	return words
}

func upper(c byte) bool { return 'A' <= c && c <= 'Z' }
func lower(c byte) bool { return 'a' <= c && c <= 'z' }
func digit(c byte) bool { return '0' <= c && c <= '9' }

func nameLetter(c byte) bool { return upper(c) || lower(c) || digit(c) }

func nameByte(c byte) bool { return nameLetter(c) || c == '_' || c == '-' || c == '.' }
