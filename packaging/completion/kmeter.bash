# SPDX-License-Identifier: GPL-2.0
#
# kmeter.bash: completion for bash.  What may stand there, kmeter itself says (kmeter complete); here the line is parted
# into words as the program would get them, and what comes back is quoted again.
#
# bash's own COMP_WORDS are not used: they are cut at COMP_WORDBREAKS too (: and =, which kmeter's words are full of), and
# what is replaced is then only the part behind the last such sign.

# The words of $1 into _kmeter_words, without their quotes; of the last one how it is quoted into _kmeter_quote (' or " or
# nothing; x: in a way that is left alone), and into _kmeter_kept how many bytes of it readline does not replace.
_kmeter_split()
{
	local line=$1 word= quote= c i have=

	_kmeter_words=() _kmeter_kept=0 _kmeter_quote=
	for ((i = 0; i < ${#line}; i++)); do
		c=${line:i:1}
		if [[ $quote == "'" ]]; then
			if [[ $c == "'" ]]; then quote= _kmeter_quote=x; else word+=$c; fi
		elif [[ $c == \\ ]]; then
			((++i))
			c=${line:i:1}
			[[ $quote && $c != [\$\`\"\\] ]] && word+=\\
			word+=$c have=1
		elif [[ $quote ]]; then
			if [[ $c == '"' ]]; then quote= _kmeter_quote=x; else word+=$c; fi
		elif [[ $c == [\'\"] ]]; then
			quote=$c _kmeter_quote=$c _kmeter_kept=${#word} have=1
		elif [[ $c == [[:space:]] ]]; then
			[[ $have ]] && _kmeter_words+=("$word")
			word= have= _kmeter_kept=0 _kmeter_quote=
		elif [[ $c == [\;\|\&] ]]; then		# another command begins
			_kmeter_words=() word= have= _kmeter_kept=0 _kmeter_quote=
		else
			word+=$c have=1
			[[ $COMP_WORDBREAKS == *"$c"* ]] && _kmeter_kept=${#word}
		fi
	done
	_kmeter_words+=("$word")
}

# $1 as it is typed where readline goes on.
_kmeter_quoted()
{
	local text=$1

	case $_kmeter_quote in
	\')	_kmeter_text=${text//\'/\'\\\'\'} ;;
	\")	text=${text//\\/\\\\} text=${text//\"/\\\"} text=${text//\$/\\\$}
		_kmeter_text=${text//\`/\\\`} ;;
	*)	if [[ $text != *[!A-Za-z0-9_:./=@+,%-]* || ( $text == '~/'* && $text != *[[:space:]]* ) ]]; then
			_kmeter_text=$text
		else
			printf -v _kmeter_text %q "$text"
		fi ;;
	esac
}

# Files whose names end in one of $2..., and folders, of which the typed word has the beginning behind its first $1 bytes.
_kmeter_files()
{
	local n=$1 typed file ending before
	shift

	typed=${_kmeter_words[-1]:n} before=${_kmeter_words[-1]:0:n}
	while IFS= read -r file; do
		if [[ -d ${file/#\~\//$HOME/} ]]; then
			_kmeter_found+=("$before$file/")
			continue
		fi
		[[ ${1-} == - ]] && continue
		[[ $# = 0 ]] && _kmeter_found+=("$before$file")
		for ending; do
			[[ $file == *."$ending" ]] && _kmeter_found+=("$before$file")
		done
	done < <(compgen -f -- "$typed")
}

_kmeter()
{
	local _kmeter_words _kmeter_quote _kmeter_kept _kmeter_text _kmeter_found=() candidate what kind words n

	COMPREPLY=()
	compopt -o nospace
	_kmeter_split "${COMP_LINE:0:COMP_POINT}"
	[[ $_kmeter_quote == x ]] && return
	n=$((${#_kmeter_words[@]} - 1))
	((n > 0)) || return
	while IFS= read -r candidate; do
		if [[ $candidate != $'\t'* ]]; then
			_kmeter_found+=("${candidate%%$'\t'*}")
			continue
		fi
		read -ra words <<< "$candidate"
		kind=${words[0]-}
		case $kind in
		files)	_kmeter_files "${words[@]:1}" ;;
		folders) _kmeter_files "${words[1]}" - ;;
		command)
			if declare -F _command_offset >/dev/null; then		# bash-completion's, which counts bash's words
				compopt +o nospace
				for ((n = 1; n < COMP_CWORD; n++)); do
					[[ ${COMP_WORDS[n]} == -- ]] && break
				done
				_command_offset $((n + 1))
				return
			elif ((n == words[1])); then
				mapfile -t _kmeter_found < <(compgen -c -- "${_kmeter_words[n]}")
			else
				_kmeter_files 0
			fi ;;
		esac
	done < <("$1" complete $n "${_kmeter_words[@]}" 2>/dev/null </dev/null)
	# Behind a whole word comes a blank; in a quote, which readline leaves open, and behind what is only a part, none.
	[[ ${#_kmeter_found[@]} = 1 && ! $_kmeter_quote && ${_kmeter_found[0]} != *[:=/\(] ]] && compopt +o nospace
	for candidate in "${_kmeter_found[@]}"; do
		_kmeter_quoted "${candidate:_kmeter_kept}"
		COMPREPLY+=("$_kmeter_text")
	done
}

complete -F _kmeter kmeter
