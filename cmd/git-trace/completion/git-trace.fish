# Completion of `git trace` in fish. git-trace itself says what may come next.
function __git_trace_complete
    set -l words (commandline -opc)
    set -l at 2
    test (path basename -- $words[1]) = git; and set at (math (contains -i -- trace $words) + 1)
    set -l prefix (string match -r -- '^--[^=]*=' (commandline -ct))
    for line in (git trace __complete $words[$at..] (commandline -ct) 2>/dev/null)
        switch $line
            case :file
                __fish_complete_path (commandline -ct)
            case :ref
                git for-each-ref --format='%(refname:short)' refs/heads refs/tags refs/remotes 2>/dev/null
            case '*'
                echo "$prefix$line"
        end
    end
end
complete -c git-trace -f -a '(__git_trace_complete)'
complete -c git -f -n '__fish_git_using_command trace' -a '(__git_trace_complete)'
