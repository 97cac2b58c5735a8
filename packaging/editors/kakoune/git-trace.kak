# Who wrote a line, and in which conversation, by git trace. Source this file in kakrc.

declare-option -docstring 'the program git-trace' str git_trace_program git-trace
declare-option -hidden line-specs git_trace_marks

define-command git-trace-why -docstring 'tell why the line at the cursor is there, of the file as it was saved' %{
    evaluate-commands %sh{
        text=$("$kak_opt_git_trace_program" -C "${kak_buffile%/*}" why --color=never "./${kak_buffile##*/}:$kak_cursor_line" 2>&1)
        printf "info -title 'git trace' -- '%s'\n" "$(printf '%s' "$text" | sed "s/'/''/g")"
    }
}

define-command git-trace-marks -docstring 'show agent and prompt beside the lines that agents wrote, of the file as it was saved' %{
    evaluate-commands %sh{
        printf 'set-option buffer git_trace_marks %s' "$kak_timestamp"
        "$kak_opt_git_trace_program" -C "${kak_buffile%/*}" blame --incremental -- "./${kak_buffile##*/}" 2>/dev/null | awk '
            $1 == "trace-lines" { from = $2; count = $3; agent = prompt = "" }
            $1 == "trace-agent" { agent = $2; gsub(/[^A-Za-z0-9._-]/, "", agent) }
            $1 == "trace-prompt" { prompt = "#" ($2 + 0) }
            $1 == "filename" && agent { for (i = from; i < from + count; i++) printf " \"%d|%s%s\"", i, agent, prompt; agent = "" }'
        echo
    }
    try %{ add-highlighter buffer/git-trace flag-lines default git_trace_marks }
}

define-command git-trace-unmark -docstring 'take the marks away' %{
    unset-option buffer git_trace_marks
    remove-highlighter buffer/git-trace
}
