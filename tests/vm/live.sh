# SPDX-License-Identifier: GPL-2.0
# live.sh: --live on a real kernel, in a terminal that is tmux's: what is on the screen while a module calls a function so many
# times, and what keys do. Run in the guest by `tests/vm/suite`.

. ./tap.sh
N=500
T=$((N * CPUS))
export TERM=tmux LC_ALL=C.UTF-8

screen() { tmux capture-pane -p; }
keys() { tmux send-keys "$@"; }
begin() { tmux -u -f /dev/null new-session -d -x 80 -y 24 "trap : INT; $*; echo status \$?; sleep 1000" 2>tmux.err || cat tmux.err; }	# COMMAND
end() { tmux kill-server; }
shows() {	# PATTERN NAME: within 20 s
	i=0
	until screen | grep -q -e "$1" || [ $i -ge 200 ]; do usleep 100000; i=$((i + 1)); done
	screen | grep -q -e "$1"
	ok $? "$2"
	[ $i -lt 200 ] || screen | sed 's/^/# /'
}
figure() { screen | sed -n "s/^  $1  *\\([^ ]*\\)  *\\([^ ]*\\).*/\\2/p" | tr -d ,; }	# LABEL: of all the time

modprobe kmeter_test; ok $? "the test module"

# ---- run ----

begin kmeter run scripts/points.ko --live -i 300ms
shows '^ calls (1 of [0-9]*)  armed' "the first measurement of the script"
run call $N
shows "^  count .* $(printf "%d,%03d" $((T / 1000)) $((T % 1000)))\>" "its calls come"
is "$(figure count)" $T "all of them"
is "$(screen | sed -n 3p)" "  hits $(printf "%d,%03d" $((T / 1000)) $((T % 1000))) = recorded $(printf "%d,%03d" $((T / 1000)) $((T % 1000)))" "the accounting"
is "$(screen | wc -l) $(screen | sed -n 24p | cut -c1-7)" "24 $(printf ' q end ')" "24 lines, the keys in the last"
keys a
keys c
shows '^── CPUs of all' "c: CPUs, a: of all the time"
is "$(screen | grep -c "^ *[0-9]  *$N ")" $CPUS "each has N"
keys s
shows '^ calls .*STOPPED' "s: it stops"
is "$(grep -c '^# state stopped' $K/calls)" 1 "in the kernel"
run call $N
usleep 700000
is "$(figure count)" $T "stopped, it counts nothing"
keys s
shows '^ calls .*armed' "s: it goes on"
run call $N
shows "^  count .* $(printf "%d,%03d" $((2 * T / 1000)) $((2 * T % 1000)))\>" "and counts again"
keys r
shows '^  count .* 0\>' "r: from zero"
is "$(acc calls)" "hits 0 = recorded 0" "in the kernel"
run call $N
shows "^  count .* $(printf "%d,%03d" $((T / 1000)) $((T % 1000)))\>" "and counts from there"
keys Tab
shows '^ by_cpu (2 of' "Tab: the next one"
keys g
shows "^ *[0-9]  *$N  *[0-9.]*%" "g: its groups"
keys p
shows '^ calls (1 of' "p: the one before"
keys '?'
shows 'the next measurement, the one before' "?: the keys"
tmux resize-window -x 46 -y 14
shows '^ calls (1 of' "in a smaller window"
is "$(screen | wc -l) $(screen | sed -n '14s/end.*/end/p')" "14  q end" "it fits, the keys in its last line"
tmux resize-window -x 200 -y 60
shows '^── keys' "and in a larger one"
keys q
shows '^status 0' "q: it ends, status 0"
tmux capture-pane -p -S - >all
grep -q "^  hits $(printf "%d,%03d" $((T / 1000)) $((T % 1000))) = recorded" all; ok $? "with a report"
is "$(cut -d' ' -f1 /proc/modules | grep -c '^km_')" 0 "and no module stays"
end

# ---- what stays, commands, ways out ----

kmeter load -q scripts/points.ko >/dev/null
begin kmeter show calls --live
run call $N
shows "^  count .* $(printf "%d,%03d" $((T / 1000)) $((T % 1000)))\>" "show --live NAME"
keys C-c
shows '^status 0' "Ctrl-C ends it"
is "$(cut -d' ' -f1 /proc/modules | grep -c '^km_')" 1 "what was loaded to stay stays"
end
begin kmeter show calls --live
shows '^ calls  armed' "the only one of that name"
kmeter unload -q --all 2>/dev/null
shows '^status 3' "it is unloaded meanwhile: status 3"
shows 'the measurement is gone' "and the reason, once the screen is given back"
end
modprobe kmeter_test
begin kmeter run scripts/vfs.ko --live -i 200ms -c "'echo from the command; sleep 2; echo its end >&2'"
shows '^ vfs_read (1 of' "with a command"
screen | grep -q 'from the command'; is $? 1 "whose words are not on the screen"
shows '^status 0' "it ends with the command"
tmux capture-pane -p -S - >all
is "$(grep -c -x -e 'from the command' -e 'its end' all)" 2 "which are told then"
end

kmeter run scripts/points.ko --live -d 1 </dev/null >out 2>err; is $? 2 "without a terminal it is refused"
grep -q 'needs a terminal' err; ok $? "in words"
is "$(cut -d' ' -f1 /proc/modules | grep -c '^km_')" 0 "and nothing stays"
begin kmeter run scripts/vfs.ko --live -w 20 -c "'echo too early'"
shows '^status 0' "with a command that ends in the warm-up"
tmux capture-pane -p -S - >all
is "$(grep -c -x -e 'too early' all)" 1 "whose words are told too"
end
begin TERM=nonsense kmeter run scripts/points.ko --live
shows 'TERM=nonsense is no terminal' "a terminal that nobody knows"
end

rmmod kmeter_test; ok $? "the test module goes"
plan
