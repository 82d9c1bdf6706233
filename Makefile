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
LIBS    := -lelf -ldw -lkmod -ljansson -lxxhash -lm

ifeq ($(V),1)
Q :=
say =
else
Q := @
say = @printf '  %-5s %s\n'
endif

SRC     := $(wildcard compiler/*.c console/*.c)
GEN     := $(BUILD)/grammar/parser.c $(BUILD)/grammar/lexer.c
OBJ     := $(SRC:%.c=$(BUILD)/%.o) $(GEN:.c=.o)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: all
all: $(BUILD)/kmeter			## build kmeter (build/kmeter)

$(BUILD)/kmeter: $(OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) -pie -Wl,-z,relro,-z,now -o $@ $^ $(LIBS)

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

# Sources that include the generated headers are compiled after them.
$(OBJ): | $(BUILD)/grammar/parser.h $(BUILD)/grammar/lexer.h

-include $(OBJ:.o=.d)
