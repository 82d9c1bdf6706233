" SPDX-License-Identifier: GPL-2.0
" Scripts of kmeter (grammar/LANGUAGE.md). As in grammar/lexer.l, what follows decides: behind some keywords
" stands a point, behind . and -> any word is a member's name.
if exists('b:current_syntax')
	finish
endif
let s:cpo = &cpo
set cpo&vim

syntax case match
syntax sync fromstart

" ---- keywords; tests/language/editors.t compares them with the lexer's ----
syntax keyword kmeterStatement measure count watch profile nextgroup=kmeterPoint,kmeterPointText skipwhite skipempty
syntax keyword kmeterPlace from to at between or nextgroup=kmeterPoint,kmeterPointText skipwhite skipempty
syntax keyword kmeterPlace value
syntax keyword kmeterStatement param nextgroup=kmeterName skipwhite skipempty
syntax keyword kmeterOption of nextgroup=kmeterCounter,kmeterPointText skipwhite skipempty
syntax keyword kmeterOption unit clock via nesting nextgroup=kmeterChoice skipwhite skipempty
syntax keyword kmeterOption key if by bits range name entries top first oncpu blocked
syntax keyword kmeterStructure struct union enum nextgroup=kmeterTag skipwhite skipempty
syntax keyword kmeterType char short int long signed unsigned void bool _Bool const volatile
syntax keyword kmeterType u8 u16 u32 u64 s8 s16 s32 s64 __u8 __u16 __u32 __u64 __s8 __s16 __s32 __s64
syntax keyword kmeterType __le16 __le32 __le64 __be16 __be32 __be64
syntax match kmeterType /\<\h\w*_t\>/

syntax keyword kmeterBuiltin pid tid ppid uid cpu comm cgroup container context caller stack elapsed
syntax keyword kmeterCall ntohs ntohl IS_ERR PTR_ERR in_cgroup

" ---- words that are no keywords where they stand ----
let s:keywords = 'measure\|count\|watch\|profile\|param\|from\|to\|at\|between\|or\|value\|of\|unit\|clock\|via\|nesting\|' .
	\ 'key\|if\|by\|bits\|range\|name\|entries\|top\|first\|oncpu\|blocked'
execute 'syntax match kmeterPoint /\%(\%(' . s:keywords . '\)[A-Za-z0-9_.:\/@+\-\[\]]\@!\)\@!\%(\/\/\|\/\*\)\@!' .
	\ '\%([A-Za-z0-9_.:\/@+\-]\|\[\d\+\]\)\+?\=/ contained nextgroup=kmeterMode skipwhite skipempty'
syntax region kmeterPointText start=/"/ skip=/\\./ end=/"?\=/ end=/$/ oneline contained contains=kmeterParameter,kmeterEscape
	\ nextgroup=kmeterMode skipwhite skipempty
syntax match kmeterMode /\<\%(write\|rw\|time\)\>/ contained
syntax match kmeterCounter /[A-Za-z0-9_.:\/@+\-]\+/ contained
syntax match kmeterChoice /\h\w*\%(\s*|\s*\h\w*\)*/ contained
syntax match kmeterName /\h\w*/ contained
syntax match kmeterTag /\h\w*/ contained
syntax match kmeterMember /\%(->\|\.\@1<!\.\.\@!\)\_s*\h\w*/

" ---- $arguments, numbers, texts ----
syntax match kmeterArgument /\$\h\w*/
syntax match kmeterNumber /\<\d\w*/
syntax match kmeterDuration /\<\d\+\%(ns\|us\|ms\|s\|min\|h\)\>/
syntax match kmeterSize /\<\d\+[KMGT]\>/
syntax match kmeterBadNumber /\<\d\+\.\d\+\a*/
syntax match kmeterCharacter /'\%([^'\\]\|\\.\)'/
syntax region kmeterText start=/"/ skip=/\\./ end=/"/ oneline contains=kmeterParameter,kmeterEscape
syntax match kmeterOpenText /"\%([^"\\]\|\\.\)*$/
syntax match kmeterParameter /{\h\w*}/ contained
syntax match kmeterEscape /\\./ contained

" ---- what the language has not ----
syntax match kmeterBadSign /[{}]/
syntax match kmeterBadSign /++\|--\|\%([-+*\/%&^]\||\)==\@!\|<<=\|>>=/

" ---- comments: a blank is before them ----
syntax keyword kmeterTodo TODO FIXME XXX contained
syntax match kmeterComment /\%(^\|[[:space:];]\)\@1<=\%(#\|\/\/\).*$/ contains=kmeterTodo,@Spell
syntax region kmeterComment start=/\%(^\|[[:space:];]\)\@1<=\/\*/ end=/\*\// contains=kmeterTodo,@Spell

highlight default link kmeterStatement Statement
highlight default link kmeterPlace Statement
highlight default link kmeterOption Keyword
highlight default link kmeterMode Keyword
highlight default link kmeterStructure Structure
highlight default link kmeterType Type
highlight default link kmeterTag Type
highlight default link kmeterBuiltin Identifier
highlight default link kmeterCall Function
highlight default link kmeterPoint Function
highlight default link kmeterPointText Function
highlight default link kmeterCounter Constant
highlight default link kmeterChoice Constant
highlight default link kmeterName Identifier
highlight default link kmeterArgument Identifier
highlight default link kmeterNumber Number
highlight default link kmeterDuration Number
highlight default link kmeterSize Number
highlight default link kmeterCharacter Character
highlight default link kmeterText String
highlight default link kmeterParameter Special
highlight default link kmeterEscape SpecialChar
highlight default link kmeterBadNumber Error
highlight default link kmeterOpenText Error
highlight default link kmeterBadSign Error
highlight default link kmeterTodo Todo
highlight default link kmeterComment Comment

let b:current_syntax = 'kmeter'
let &cpo = s:cpo
unlet s:cpo s:keywords
