" SPDX-License-Identifier: GPL-2.0
autocmd BufNewFile,BufRead *.km setfiletype kmeter
