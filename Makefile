# SPDX-License-Identifier: GPL-2.0
# kmeter: the targets for people (make help). build/kmeter is the command; kernel modules are built by kmeter itself,
# since that is the road its users take (compiler/build.c).

BUILD   := build
PREFIX  ?= /usr/local
DESTDIR ?=
VERSION := 0.1.0

CC      ?= gcc
CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Werror -Wno-unused-parameter -Wmissing-prototypes -Wstrict-prototypes
HARDEN  := -fPIE -fstack-protector-strong -D_FORTIFY_SOURCE=2
CPPDEF  := -D_GNU_SOURCE -DKMETER_VERSION='"$(VERSION)"' -I. -I$(BUILD)
LIBS    := -lbpf -lelf -ldw -lkmod -ljansson -lxxhash -lZydis -lncursesw -ltinfo -lunistring -lprotobuf-c -lz -lm

ifeq ($(V),1)
Q :=
say =
else
Q := @
say = @printf '  %-5s %s\n'
endif

SRC     := $(wildcard compiler/*.c console/*.c)
GEN     := $(BUILD)/grammar/parser.c $(BUILD)/grammar/lexer.c $(BUILD)/console/metrics.pb-c.c
OBJ     := $(SRC:%.c=$(BUILD)/%.o) $(GEN:.c=.o)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: all
all: $(BUILD)/kmeter			## build kmeter (build/kmeter)

$(BUILD)/kmeter: $(OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) -pie -Wl,-z,relro,-z,now $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/%.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPDEF) $(WARN) $(HARDEN) $(CFLAGS) -std=gnu11 -MMD -MP -c -o $@ $<

$(BUILD)/grammar/%.o: $(BUILD)/grammar/%.c
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPDEF) $(WARN) $(HARDEN) $(CFLAGS) -std=gnu11 -MMD -MP -c -o $@ $<

$(BUILD)/grammar/parser.c $(BUILD)/grammar/parser.h: grammar/parser.y
	$(call say,BISON,$<)
	$(Q)mkdir -p $(@D)
	$(Q)bison -Wall -Wcounterexamples -Werror --defines=$(BUILD)/grammar/parser.h -o $(BUILD)/grammar/parser.c $<

$(BUILD)/grammar/lexer.c $(BUILD)/grammar/lexer.h: grammar/lexer.l
	$(call say,FLEX,$<)
	$(Q)mkdir -p $(@D)
	$(Q)flex --header-file=$(BUILD)/grammar/lexer.h -o $(BUILD)/grammar/lexer.c $<

$(BUILD)/console/metrics.pb-c.o: $(BUILD)/console/metrics.pb-c.c
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPDEF) $(WARN) $(HARDEN) $(CFLAGS) -std=gnu11 -MMD -MP -c -o $@ $<

$(BUILD)/console/metrics.pb-c.c $(BUILD)/console/metrics.pb-c.h &: console/metrics.proto
	$(call say,PROTO,$@)
	$(Q)mkdir -p $(BUILD)
	$(Q)protoc-c --c_out=$(BUILD) $<

# Sources that include the generated headers are compiled after them.
$(OBJ): | $(BUILD)/grammar/parser.h $(BUILD)/grammar/lexer.h $(BUILD)/console/metrics.pb-c.h

-include $(OBJ:.o=.d)

# ---- for people ----

KERNELS	?= 6.1 6.12
OTHER_KERNELS ?= 5.10 7.2
# Debian's zsh looks for what packages bring below /usr elsewhere than for what is below /usr/local.
ZSH_FOLDER := $(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
# The long ones first: with several at once, what begins last is to be short.
SUITES	:= tapcheck thunks pages@$(lastword $(KERNELS)) $(foreach s,statements library waits console runtime forms direct memory entries counters parts cgroups guard secrets writes profile,$(KERNELS:%=$(s)@%)) harness \
	   $(foreach s,bench types asleep floor clock parallel,$(KERNELS:%=$(s)@%)) $(foreach s,siege many live,$(s)@$(lastword $(KERNELS)))
LONG_SUITES := $(KERNELS:%=torture@%) $(foreach s,pages siege many live,$(patsubst %,$(s)@%,$(filter-out $(lastword $(KERNELS)),$(KERNELS)))) road@$(firstword $(KERNELS))
OTHER_SUITES := $(foreach k,$(OTHER_KERNELS),$(foreach s,thunks statements library waits console runtime forms direct memory entries counters parts cgroups guard secrets writes siege profile bench types asleep floor clock parallel many live,$(s)@$(k)))
JOBS	:= $(shell nproc)
DEBUG	?= 6.1-debug
DEBUG_SUITES := $(foreach s,watch direct memory forms statements runtime clock asleep library waits console types floor parallel profile parts cgroups guard secrets writes siege faults cycles,$(s)@$(DEBUG))
RACES	?= 6.1-kcsan
RACE_SUITES := $(foreach s,watch parallel many runtime direct forms statements counters cgroups parts memory guard siege,$(s)@$(RACES))
DEMO	= measure vfs_read by comm, (char *)$$file->f_path.dentry->d_name.name top 5 ; \
	measure from tp:sched:sched_wakeup key $$p->pid to tp:sched:sched_switch key $$next->pid ; \
	count syscall:openat:return by comm, $$filename, $$return if $$return < 0
WORK	= i=0; while [ $$i -lt 20 ]; do dd if=/dev/zero of=/tmp/x bs=4k count=25 status=none; md5sum /tmp/x >/dev/null; cat /tmp/y 2>/dev/null; i=$$((i + 1)); done

.PHONY: torture assets check-browser check-others deps check check-unit check-formats check-fuzz check-guest check-all check-packages check-debug check-races modules bench bench-front bench-native demo install install-dkms deb man fuzz style clean help
deps:				## install what is missing to build, run and test (Debian: with apt-get)
	@packaging/install-deps

# Each of these sees to the packages first, then makes the rest with what is then there.
check:				## every test: units, language, a minute of fuzzing, suites in guests of two kernels
	@packaging/install-deps
	@for k in $(KERNELS); do guest/kernel $$k >/dev/null || exit; done	# check-unit builds for one
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@$(MAKE) --no-print-directory check-unit
	@$(MAKE) --no-print-directory -j2 check-fuzz modules	# either is one process most of the time
	@$(GUESTS)
	@if guest/debug-kernel -n $(DEBUG) >/dev/null; then \
		echo "not run: the suites on the debug kernel, which is built (make check-debug)"; \
	else \
		echo "not run: the suites on a debug kernel; there is none yet (make check-debug builds it)"; \
	fi

check-unit: all			## the tests that need no kernel
	@$(MAKE) --no-print-directory -j$(JOBS) -C tests/unit check
	@$(MAKE) --no-print-directory -j$(JOBS) -C tests/language check
	@prove tests/vm/library :: -c

check-formats: all		## reports as other programs read them (HdrHistogram, Prometheus)
	@packaging/install-deps build test formats
	@$(MAKE) --no-print-directory -j$(JOBS) -C tests/unit all
	@prove --exec '' tests/formats/*.t

check-fuzz: all
	@$(MAKE) --no-print-directory -C tests/fuzz check

modules: all			## the runtime and the test modules, for each of KERNELS
	@for k in $(KERNELS); do tests/vm/modules $$k || exit; done

GUESTS	= prove -j$(JOBS) --timer $(if $(filter 1,$(V)),-v) --exec tests/vm/suite $(SUITES)
check-guest: modules		## the tests in guests, JOBS at once
	@$(GUESTS)

check-all: check		## check, the page in a browser, formats read by others, packages, other kernels and boots, what comes and goes under fire, and the whole road in a guest with a compiler (hours)
	@$(MAKE) --no-print-directory check-browser check-formats check-packages check-others
	@prove --timer $(if $(filter 1,$(V)),-v) --exec tests/vm/suite $(LONG_SUITES)

check-others: all		## the suites in guests of OTHER_KERNELS and of other boots (tests/vm/boots): what Debian's archives no longer have is skipped, by name
	@packaging/install-deps
	@prove --timer $(if $(filter 1,$(V)),-v) --exec tests/vm/boots $(OTHER_SUITES) $$(tests/vm/boots)

torture: all			## every function of each of KERNELS attached to, then hours of siege, cycles and writes (LONG=N CYCLES=N N=N)
	@packaging/install-deps
	@for k in $(KERNELS); do tests/torture/attach -k $$k || exit; done
	@LONG=$${LONG:-600} CYCLES=$${CYCLES:-1000} N=$${N:-1000000} prove --timer $(if $(filter 1,$(V)),-v) --exec tests/vm/suite \
		$(foreach s,siege cycles asleep writes,$(KERNELS:%=$(s)@%))

check-browser:			## the page of --html in a real browser, headless
	@packaging/install-deps build browser
	@$(MAKE) --no-print-directory assets
	@$(MAKE) --no-print-directory -C tests/unit known
	@prove -j$(JOBS) $(if $(filter 1,$(V)),-v) tests/browser

check-debug:			## the suites on a kernel with KASAN, lockdep, ..., built once (hours; CYCLES=N, DEBUG_SUITES=...)
	@packaging/install-deps
	@guest/kernel $(DEBUG) >/dev/null
	@$(MAKE) --no-print-directory all modules KERNELS=$(DEBUG)
	@prove --timer $(if $(filter 1,$(V)),-v) --exec tests/vm/suite $(DEBUG_SUITES)

check-races:			## the suites on a kernel that looks for data races (KCSAN), built once
	@packaging/install-deps
	@guest/kernel $(RACES) >/dev/null
	@$(MAKE) --no-print-directory all modules KERNELS=$(RACES)
	@prove --timer $(if $(filter 1,$(V)),-v) --exec tests/vm/suite $(RACE_SUITES)

bench:				## what a probe costs here and with other tools, in instructions (BENCH=own: here alone)
	@packaging/install-deps build guest test
	@$(MAKE) --no-print-directory all
	@tests/bench/bench $(if $(filter own,$(BENCH)),-o) $(if $(GLOB),-g) $(if $(RECORD),-r) $(KERNELS)

bench-front: all		## how long the front end takes, from a script to C, and the listings: a table, no test
	@tests/bench/front $(firstword $(KERNELS))

bench-native:			## what a record and a thunk's return cost on this processor, in time: a table, no test
	@mkdir -p $(BUILD)/bench
	@$(CC) $(CFLAGS) $(WARN) -o $(BUILD)/bench/returns tests/bench/returns/returns.c
	@$(BUILD)/bench/returns || [ $$? = 1 ]	# 1: the goal was missed, which the table says
	@$(MAKE) --no-print-directory -C tests/bench/record

demo:				## boot a stock kernel in a guest, measure it under a workload, print the reports
	@packaging/install-deps build guest
	@$(MAKE) --no-print-directory all
	$(BUILD)/kmeter --guest -e '$(DEMO)' -c '$(WORK)'

install: all			## to PREFIX (/usr/local), below DESTDIR
	install -D -m 755 $(BUILD)/kmeter $(DESTDIR)$(PREFIX)/bin/kmeter
	install -d $(DESTDIR)$(PREFIX)/share/kmeter/runtime $(DESTDIR)$(PREFIX)/share/kmeter/guest
	install -m 644 runtime/*.c runtime/*.h runtime/Kbuild $(DESTDIR)$(PREFIX)/share/kmeter/runtime/
	for d in examples/*/*.km; do install -D -m 644 $$d $(DESTDIR)$(PREFIX)/share/kmeter/$$d || exit; done
	for f in guest/*; do install -m $$(test -x $$f && echo 755 || echo 644) $$f $(DESTDIR)$(PREFIX)/share/kmeter/guest/ || exit; done
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/kmeter/html html/*.js html/*.css
	if [ -e $(ASSETS) ]; then install -m 644 $(ASSETS) $(ASSETS:.min.js=.txt) $(DESTDIR)$(PREFIX)/share/kmeter/html/; \
	else echo "without charts, kmeter --html is refused (make assets)"; fi
	install -D -m 755 packaging/install-deps $(DESTDIR)$(PREFIX)/share/kmeter/packaging/install-deps
	install -m 644 packaging/packages $(DESTDIR)$(PREFIX)/share/kmeter/packaging/
	install -D -m 644 packaging/completion/kmeter.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/kmeter
	install -D -m 644 packaging/completion/_kmeter $(DESTDIR)$(PREFIX)/share/zsh/$(ZSH_FOLDER)/_kmeter
	install -D -m 644 packaging/completion/kmeter.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/kmeter.fish
	for f in packaging/editors/vim/*/kmeter.vim; do \
		install -D -m 644 $$f $(DESTDIR)$(PREFIX)/share/vim/vimfiles/$${f#packaging/editors/vim/} || exit; done
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/kmeter/vscode packaging/editors/vscode/*.json
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/kmeter/vscode/syntaxes packaging/editors/vscode/syntaxes/*.json
	for f in packaging/systemd/*.service; do \
		install -D -m 644 $$f $(DESTDIR)$(PREFIX)/lib/systemd/system/$${f##*/} && \
		sed -i 's|@BIN@|$(PREFIX)/bin|' $(DESTDIR)$(PREFIX)/lib/systemd/system/$${f##*/} || exit; done
	install -D -m 644 docs/kmeter.1 $(DESTDIR)$(PREFIX)/share/man/man1/kmeter.1
	install -D -m 644 docs/kmeter-language.5 $(DESTDIR)$(PREFIX)/share/man/man5/kmeter-language.5
	install -D -m 644 docs/kstats.9 $(DESTDIR)$(PREFIX)/share/man/man9/kstats.9
	install -D -m 644 grammar/LANGUAGE.md $(DESTDIR)$(PREFIX)/share/doc/kmeter/LANGUAGE.md
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/kmeter/prometheus docs/prometheus/*
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/kmeter/fleet docs/fleet/*.yml
	install -m 644 docs/boot.md docs/fleet.md docs/library.md docs/tutorial.md docs/slow-disk docs/slow-disk.km docs/translations.md docs/costs.md docs/limits.md docs/formats.md docs/json.md docs/json-schema.json docs/live.md docs/live-*.svg docs/report.md docs/report.png docs/prometheus.md docs/trust.md SECURITY.md $(DESTDIR)$(PREFIX)/share/doc/kmeter/

install-dkms:			## the runtime's sources for DKMS, to /usr/src, below DESTDIR
	install -D -m 644 -t $(DESTDIR)/usr/src/kmeter-$(VERSION) runtime/*.c runtime/*.h runtime/Kbuild packaging/dkms.conf
	sed -i 's/#MODULE_VERSION#/$(VERSION)/' $(DESTDIR)/usr/src/kmeter-$(VERSION)/dkms.conf

check-packages: all		## packages: made, checked, in a fresh Debian, which is booted; fleets (ten minutes)
	@packaging/install-deps build guest deb packages
	@$(MAKE) --no-print-directory deb
	@$(MAKE) --no-print-directory -C tests/unit known
	@KMETER_MADE=1 prove -j$(JOBS) --timer $(if $(filter 1,$(V)),-v) --exec '' ./tests/packages/boot.t ./tests/packages/chroot.t ./tests/packages/deb.t ./tests/packages/rpm.t ./tests/packages/fleet.t

deb:				## Debian packages, in build/deb
	@packaging/install-deps build deb
	@packaging/make-deb $(BUILD)/deb

ASSETS	:= $(BUILD)/assets/echarts.min.js
assets: $(ASSETS)		## what --html draws with, from the npm registry, as html/package-lock.json pins it

# The licences of what is in that file go where it goes.
$(ASSETS): html/package.json html/package-lock.json
	@command -v npm >/dev/null || packaging/install-deps assets
	$(call say,NPM,$@)
	$(Q)rm -rf $(BUILD)/npm && mkdir -p $(BUILD)/npm $(@D) && cp $^ $(BUILD)/npm
	$(Q)cd $(BUILD)/npm && npm ci --ignore-scripts --no-audit --no-fund --silent
	$(Q)cd $(BUILD)/npm/node_modules && cat echarts/NOTICE echarts/LICENSE echarts/licenses/* zrender/LICENSE >$(abspath $(@D))/echarts.txt
	$(Q)cp $(BUILD)/npm/node_modules/echarts/dist/echarts.min.js $@

man:				## docs/kmeter-language.5, from grammar/LANGUAGE.md
	docs/language-man >docs/kmeter-language.5.new
	mv docs/kmeter-language.5.new docs/kmeter-language.5

fuzz: all			## ten minutes of new scripts for the front end; what reaches new code goes into its corpus
	@packaging/install-deps
	@$(MAKE) --no-print-directory -C tests/fuzz grow SECONDS=600

style:				## sparse on the runtime, against the first of KERNELS
	@packaging/install-deps
	@tests/style $(firstword $(KERNELS))

clean:				## remove build/
	rm -rf $(BUILD)

help:				## this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { sub(/:.*/, "", $$1); printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo '  V=1 shows commands; KERNELS="6.1 6.12" chooses kernels'
