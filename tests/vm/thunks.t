#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The thunks as they were built, for each of KERNELS, or the one named: on processors that track indirect branches a body may be entered by
# a direct call alone, for behind a call site there is no ENDBR; no guest can show that, since tcg has no such processor.

cd "$(dirname "$0")/../.." || exit 1
build=${KMETER_BUILD:-build}

n=0
ok() {	# STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

for kernel in ${1:-${KERNELS:-6.1 6.12}}; do
	read -r _ rel < <(guest/kernel "$kernel")
	ko=$build/runtime/$rel/kstats.ko
	pool=$(sed -n 's/^#define KS_THUNKS[[:space:]]*\([0-9]*\).*/\1/p' runtime/thunk.h)
	shared=$(sed -n 's/^#define KS_SHARED[[:space:]]*\([0-9]*\).*/\1/p' runtime/thunk.h)
	# A line for each instruction: thunk, mnemonic, operand; for its relocation: thunk, "reloc", type, symbol.
	listing=$(objdump -dr -j .kprobes.text --no-show-raw-insn "$ko" | awk '
		/^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name); if (name !~ /_back_/) thunk = name; next }
		thunk !~ /^ks_thunk_(fast|keyed|full|pass|lean|count|sift|sieve|take|out)|^ks_(shared|squared)_/ { next }
		$2 ~ /^R_X86_64_/ { sub(/[-+]0x[0-9a-f]+$/, "", $3); print thunk, "reloc", $2, $3; next }
		/^ *[0-9a-f]+:/ { $1 = ""; print thunk $0 }')
	is() { [ "$1" = "$2" ] || { echo "# $kernel: $3: $1, not $2"; false; }; ok $? "$kernel: $3"; }

	for form in fast keyed full pass lean count sift sieve; do
		is "$(echo "$listing" | awk -v f="^ks_thunk_${form}_" '$1 ~ f { print $1 }' | uniq | wc -l)" "$pool" "$pool thunks of the form $form"
	done
	for form in shared squared; do
		is "$(echo "$listing" | awk -v f="^ks_${form}_[0-9]" '$1 ~ f { print $1 }' | uniq | wc -l)" "$shared" "$shared for many functions: $form"
	done
	is "$(echo "$listing" | grep -Ec ' (call|jmp)[a-z]* +\*|indirect_thunk')" 0 "no branch through a register or memory"
	# Each body is called by the thunk's own static call, and so is what a script adds; nothing else is called but the runtime.
	own() {	# WHAT: how often a thunk calls its own; another's counts as a thousand
		echo "$listing" | awk -v what="^__SCT__ks_$1_" '$2 == "reloc" && $4 ~ what { f = $1; b = $4; sub(/ks_thunk_[a-z]*_/, "", f)
			sub(what, "", b); if (f == b) n++; else n += 1000 } END { print n + 0 }'
	}
	is "$(own body)" $((3 * pool)) "fast, keyed and full call their own body"
	is "$(own ask)" $((4 * pool)) "keyed, lean, sift and sieve ask what is their own"
	is "$(echo "$listing" | awk '$2 == "reloc" && $3 ~ /PLT32|PC32/ && $4 !~ /^(__SCT__ks_(body|ask)_|ks_direct_|ks_shared_begin|ks_thunks$|__x86_return_thunk|\.|ks_thunk_|pcpu_hot|__x86_call_depth)/ { print $4 }' |
		sort -u | paste -sd' ')" "" "nothing else is called"
	is "$(readelf -rW "$ko" | awk '/^Relocation section/ { on = /rela.static_call_sites/ } on && /__SCK__ks_(body|ask)_/ { n++ } END { print n + 0 }')" \
		$((7 * pool)) "the kernel knows each such call, to turn it to a body"
	is "$(echo "$listing" | awk '$1 ~ /^ks_thunk_out/ && $2 != "reloc" && $2 !~ /^(nop|int3|cs)/ { print $2 }' | paste -sd' ')" \
		"$(echo "$listing" | grep -q __x86_return_thunk && echo jmp || echo ret)" "the way out is a lone return"
done
echo "1..$n"
