# temper: the only build system. `make help` lists the targets.
CC       ?= gcc
CSTD      = -std=c17
WARN      = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wcast-qual
OPT      ?= -O2 -g
CFLAGS   ?=
LDFLAGS  ?=
LDLIBS    = -lm -lpthread
BUILD    ?= build
PREFIX   ?= /usr/local
DESTDIR  ?=

# Honest numerics: no contraction, no fast-math, and the same bits everywhere.
NUMERIC   = -ffp-contract=off -fno-fast-math -fno-unsafe-math-optimizations
ALL_CFLAGS = $(CSTD) $(WARN) $(OPT) $(NUMERIC) -fPIC -fvisibility=hidden -Iinclude -Isrc -MMD -MP $(CFLAGS)

VERSION := $(shell awk '/define TEMPER_VERSION_(MAJOR|MINOR|PATCH)/ {printf "%s%s", s, $$3; s="."}' include/temper.h)
MAJOR   := $(firstword $(subst ., ,$(VERSION)))

LIB_SRC  := $(sort $(wildcard src/*/*.c))
CLI_SRC  := $(sort $(wildcard cli/*.c))
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
CLI_OBJ  := $(CLI_SRC:%.c=$(BUILD)/%.o)
TEST_SRC := $(sort $(wildcard tests/t-*.c))
TEST_BIN := $(TEST_SRC:tests/%.c=$(BUILD)/tests/%)
TEST_AID := $(sort $(filter-out tests/t-%.c tests/long-%.c,$(wildcard tests/*.c)))
TEST_AID_OBJ := $(TEST_AID:%.c=$(BUILD)/%.o)

STATIC = $(BUILD)/libtemper.a
SHARED = $(BUILD)/libtemper.so.$(VERSION)

all: $(STATIC) $(SHARED) $(BUILD)/temper

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c $< -o $@

$(STATIC): $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(SHARED): $(LIB_OBJ)
	$(CC) -shared -Wl,-soname,libtemper.so.$(MAJOR) -Wl,--no-undefined $(LDFLAGS) -o $@ $^ $(LDLIBS)
	@ln -sf $(@F) $(BUILD)/libtemper.so.$(MAJOR)
	@ln -sf $(@F) $(BUILD)/libtemper.so

$(BUILD)/temper: $(CLI_OBJ) $(STATIC)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(TEST_AID_OBJ) $(STATIC)
	$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

.PRECIOUS: $(BUILD)/%.o
-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TEST_BIN:=.d) $(TEST_AID_OBJ:.o=.d)
