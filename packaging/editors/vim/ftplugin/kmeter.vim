" SPDX-License-Identifier: GPL-2.0
" Scripts of kmeter: comments, and :make, which checks the script.
if exists('b:did_ftplugin')
	finish
endif
let b:did_ftplugin = 1

setlocal commentstring=#\ %s
setlocal comments=sr:/*,mb:*,ex:*/,b:#,b://
setlocal formatoptions-=t formatoptions+=croql
setlocal suffixesadd=.km
setlocal makeprg=kmeter\ check\ %:S
setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ %tote:\ %m,%-G%.%#
let b:undo_ftplugin = 'setlocal commentstring< comments< formatoptions< suffixesadd< makeprg< errorformat<'
