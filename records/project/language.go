package project

import (
	"path"
	"strings"
)

// Language is the language of a file by its name, "" when the name does not tell one. The names are those of Linguist
// in lower case.
func Language(name string) string {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	switch base {
	case "dockerfile", "containerfile":
		return "dockerfile"
	case "makefile", "gnumakefile":
		return "makefile"
	case "cmakelists.txt":
		return "cmake"
	case "gemfile", "rakefile", "podfile":
		return "ruby"
	case "jenkinsfile":
		return "groovy"
	}
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 {
		return ""
	}
	return byExtension(base[dot+1:])
}

func byExtension(extension string) string {
	switch extension {
	case "go":
		return "go"
	case "py", "pyi", "ipynb":
		return "python"
	case "ts", "tsx", "mts", "cts":
		return "typescript"
	case "js", "jsx", "mjs", "cjs":
		return "javascript"
	case "rs":
		return "rust"
	case "java":
		return "java"
	case "kt", "kts":
		return "kotlin"
	case "c", "h":
		return "c"
	case "cc", "cpp", "cxx", "hpp", "hh", "hxx":
		return "c++"
	case "cs":
		return "c#"
	case "rb", "erb":
		return "ruby"
	case "php":
		return "php"
	case "swift":
		return "swift"
	case "scala", "sbt":
		return "scala"
	case "sh", "bash", "zsh":
		return "shell"
	case "lua", "dart", "zig", "nim", "elm", "vue", "svelte", "css", "html", "sql", "yaml", "json", "toml", "groovy",
		"xml":
		return extension
	}
	return byRarerExtension(extension)
}

func byRarerExtension(extension string) string {
	switch extension {
	case "htm":
		return "html"
	case "scss", "sass", "less":
		return "css"
	case "yml":
		return "yaml"
	case "jsonc", "json5", "jsonl":
		return "json"
	case "md", "mdx", "markdown":
		return "markdown"
	case "ex", "exs":
		return "elixir"
	case "erl", "hrl":
		return "erlang"
	case "hs":
		return "haskell"
	case "ml", "mli":
		return "ocaml"
	case "clj", "cljs", "cljc", "edn":
		return "clojure"
	case "r", "rmd":
		return "r"
	case "jl":
		return "julia"
	case "pl", "pm":
		return "perl"
	case "ps1", "psm1":
		return "powershell"
	case "tf", "hcl":
		return "hcl"
	case "proto":
		return "protobuf"
	case "m", "mm":
		return "objective-c"
	case "sol":
		return "solidity"
	}
	return ""
}

// ecosystem tells whether a language is one that a project is written in: not data, markup or prose.
func ecosystem(language string) bool {
	switch language {
	case "", "json", "yaml", "toml", "xml", "markdown", "html", "css", "dockerfile", "makefile", "cmake":
		return false
	}
	return true
}
