# Completion of `git trace` in bash. Git's own completion calls _git_trace; git-trace itself says what may come next.
_git_trace ()
{
	local asked line file= refs= dirs= word words_=() described_=() width=0
	asked=$(git "${__git_C_args[@]}" ${__git_dir:+--git-dir="$__git_dir"} trace __complete \
		"${words[@]:__git_cmd_idx+1:cword-__git_cmd_idx}" 2>/dev/null) || return 0
	while IFS= read -r line; do
		case $line in
		"") ;;
		:file) file=1 ;;
		:ref) refs=1 ;;
		*)
			word=${line%%$'\t'*}
			words_+=("$word")
			described_+=("${line#*$'\t'}")
			((${#word} > width)) && width=${#word} ;;
		esac
	done <<<"$asked"
	local part=$cur
	case $cur in --*=*) part=${cur#*=} ;; esac
	if [[ $cur == --* && $cur != *=* ]]; then
		local IFS=' '
		__gitcomp "${words_[*]}" # an option that ends in = is not followed by a space
	elif [ -n "$refs" ]; then
		__git_complete_revlist
		[ ${#words_[@]} = 0 ] || __gitcomp_nl_append "$(printf '%s\n' "${words_[@]}")" "" "$part"
		__git_trace_quote
	elif [ ${#words_[@]} = 1 ]; then
		__gitcomp_nl "${words_[0]}" "" "$part"
	elif [ ${#words_[@]} -gt 1 ]; then
		# Several ids are shown with what they stand for; one alone is put into the line.
		local i show=
		for i in "${!words_[@]}"; do
			[ "${described_[i]}" = "${words_[i]}" ] || show=1
		done
		if [ -n "$show" ] && [ "${COMP_TYPE:-9}" != 37 ] && ! __git_trace_common "$part" "${words_[@]}"; then
			COMPREPLY=()
			for i in "${!words_[@]}"; do
				printf -v line '%-*s  (%s)' "$width" "${words_[i]}" "${described_[i]}"
				COMPREPLY+=("${line:0:${COLUMNS:-80}-2}")
			done
		else
			__gitcomp_nl "$(printf '%s\n' "${words_[@]}")" "" "$part"
		fi
	fi
	if [ -n "$file" ] && [ ${#COMPREPLY[@]} = 0 ]; then
		compopt -o default 2>/dev/null # bash's own completion of files
	fi
}

# __git_trace_quote quotes what is put into the line: the name of a branch may hold what a shell runs.
__git_trace_quote ()
{
	local i word end
	for i in "${!COMPREPLY[@]}"; do
		word=${COMPREPLY[i]} end=
		case $word in *" ") word=${word% } end=" " ;; esac
		case $word in *[!A-Za-z0-9_./:@^~=+,%-]*) printf -v word %q "$word" ;; esac
		COMPREPLY[i]=$word$end
	done
}

# __git_trace_common tells whether all words begin with more than what is typed: then that is put into the line first.
__git_trace_common ()
{
	local typed=$1 first=$2 word
	shift 2
	for word; do
		[ "${word:0:${#typed}+1}" = "${first:0:${#typed}+1}" ] || return 1
	done
}
