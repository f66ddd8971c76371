# temper: the only build system. `make help` lists the targets.
CC       ?= gcc
CSTD      = -std=c17
WARN      = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wcast-qual
OPT      ?= -O2
CFLAGS   ?=
LDFLAGS  ?=
# Arb is a part of FLINT 3 and was a library of its own before.
ARB      := $(shell printf 'int main(void) { return 0; }' | $(CC) -x c - -lflint-arb -o /dev/null 2>/dev/null && echo -lflint-arb)
EXACT     = $(ARB) -lflint -lmpfr -lgmp
OTHERS    = -lprotobuf-c -lm -lpthread
LDLIBS    = $(EXACT) $(OTHERS)
# There are some 180 test programs: where gold is, it links each in less than half the time.
TEST_LD  := $(shell printf 'int main(void) { return 0; }' | $(CC) -fuse-ld=gold -x c - -o /dev/null 2>/dev/null && echo -fuse-ld=gold)
BUILD    ?= build
PREFIX   ?= /usr/local
DESTDIR  ?=

# Honest numerics: no contraction, no fast-math, and the same bits everywhere.
NUMERIC   = -ffp-contract=off -fno-fast-math -fno-unsafe-math-optimizations $(EXCESS)
# On s390x gcc computes floats as doubles, as an old C library there did, unless it is told not to.
MACHINE  := $(shell $(CC) -dumpmachine 2>/dev/null)
EXCESS   := $(if $(findstring s390x,$(MACHINE)),-fexcess-precision=fast,)
# clang 14 at -O2 leaves loops out that it must not (tests/base/t-compiler.c); without this pass it does not.
CLANG_SOUND := -mllvm -enable-split-backedge-in-load-pre=false
IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null))
SOUND    := $(if $(IS_CLANG),$(shell $(CC) $(CLANG_SOUND) -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(CLANG_SOUND)))
ALL_CFLAGS = $(CSTD) $(WARN) $(OPT) $(NUMERIC) $(SOUND) -fPIC -fvisibility=hidden -Iinclude -Isrc -I. -MMD -MP $(CFLAGS)

VERSION := $(shell awk '/define TEMPER_VERSION_(MAJOR|MINOR|PATCH)/ {printf "%s%s", s, $$3; s="."}' include/temper.h)
# What binary compatibility goes by (doc/api.md): the major version, and before 1.0 the minor one, too.
MAJOR   := $(firstword $(subst ., ,$(VERSION)))
ABI     := $(MAJOR)$(if $(filter 0,$(MAJOR)),.$(word 2,$(subst ., ,$(VERSION))))

LIB_SRC  := $(sort $(wildcard src/*/*.c src/*/*/*.c))
LAB_SRC  := $(sort $(wildcard lab/*.c))
CLI_SRC  := $(sort $(wildcard cli/*.c))
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
LAB_OBJ  := $(LAB_SRC:%.c=$(BUILD)/%.o) $(BUILD)/made/lab_prose.o
CLI_OBJ  := $(CLI_SRC:%.c=$(BUILD)/%.o) $(BUILD)/made/text_files.o
# The rooms of tests/. Each t-NAME.c there is a program build/tests/t-NAME that `make test` runs, each long-NAME.c one that it does not
# run, and the other files are linked to all of them.
TEST_ROOMS := base logic automata model run proof hunts audit ordinary lab cli tools
TEST_C   := $(sort $(wildcard $(TEST_ROOMS:%=tests/%/*.c)))
TEST_OBJ := $(TEST_C:%.c=$(BUILD)/%.o)
TEST_BIN := $(addprefix $(BUILD)/tests/,$(filter t-%,$(basename $(notdir $(TEST_C)))))
TEST_LONG := $(addprefix $(BUILD)/tests/,$(filter long-%,$(basename $(notdir $(TEST_C)))))
TEST_AID_OBJ := $(foreach o,$(TEST_OBJ),$(if $(filter t-% long-%,$(notdir $o)),,$o))
TEST_INCLUDES := $(TEST_ROOMS:%=-Itests/%)

# Made while building: C from ONNX's schema, the Python files of exported folders as bytes, the prose of the lab.
ONNX_PROTO ?= /usr/include/onnx/onnx.proto
PYTHON_PARTS := $(sort $(wildcard src/export/python/*.py))
LAB_PROSE := $(sort $(wildcard lab/prose/*.md))
LIB_OBJ  += $(addprefix $(BUILD)/made/,onnx.pb-c.o python_files.o page_files.o sheet_tables.o sheet_text.o)
ALL_CFLAGS += -I$(BUILD)/made
$(LIB_OBJ) $(LAB_OBJ) $(TEST_BIN:=.o) $(TEST_AID_OBJ): | $(BUILD)/made/sheet_names.h

# `make V=1` shows the commands.
Q    := $(if $(V),,@)
SAY  := $(if $(V),:,echo)

STATIC = $(BUILD)/libtemper.a
SHARED = $(BUILD)/libtemper.so.$(VERSION)
# The lab uses what is inside the library, so it is linked statically, before it.
LAB    = $(BUILD)/libtemper-lab.a

all: $(STATIC) $(SHARED) $(LAB) $(BUILD)/temper ## build the library, the lab and the program into build/

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@$(SAY) "  CC      $<"
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

# Tests spend their time in the library, so they are compiled in a third less time instead, and under sanitizers in half the time;
# t-compiler.c is about -O2.
TEST_OPT := $(if $(findstring -fsanitize,$(CFLAGS)),$(OPT:-O1=-O0),$(OPT:-O2=-O1))
$(filter-out %/t-compiler.o,$(TEST_OBJ)): override OPT := $(TEST_OPT)
$(BUILD)/tests/%.o $(BUILD)/bench/sizes.o: ALL_CFLAGS += $(TEST_INCLUDES)

# The runner's loops are worth unrolling; AVX2 and AVX-512 kernels are chosen at run time, so only their files may use them.
FAST := -O3
$(BUILD)/src/run/kernels_ref.o $(BUILD)/src/run/execute_f64.o $(BUILD)/src/run/execute_f32.o: ALL_CFLAGS += $(FAST)
$(BUILD)/src/run/kernels_avx2.o: ALL_CFLAGS += $(FAST) $(AVX2)
$(BUILD)/src/run/kernels_avx512.o: ALL_CFLAGS += $(FAST) $(AVX512)
AVX2   := $(if $(findstring x86_64,$(MACHINE)),-mavx2 -mfma,)
AVX512 := $(AVX2:-mavx2=-mavx512f -mavx512dq)

$(BUILD)/made/onnx.pb-c.c: $(ONNX_PROTO)
	@mkdir -p $(@D)
	@$(SAY) "  PROTO   $<"
	$(Q)protoc-c --c_out=$(@D) -I$(dir $<) $<

$(BUILD)/made/python_files.c: $(PYTHON_PARTS) scripts/embed.sh
	@mkdir -p $(@D)
	@$(SAY) "  EMBED   src/export/python"
	$(Q)sh scripts/embed.sh export/export_parts.h export_python $(PYTHON_PARTS) >$@.part && mv $@.part $@

PAGE_PARTS := $(sort $(wildcard src/draw/page/*))
$(BUILD)/made/page_files.c: $(PAGE_PARTS) scripts/embed.sh
	@mkdir -p $(@D)
	@$(SAY) "  EMBED   src/draw/page"
	$(Q)sh scripts/embed.sh draw/page_files.h page $(PAGE_PARTS) >$@.part && mv $@.part $@

# Texts that the program prints: temper completion, temper examples.
CLI_TEXTS := $(sort $(wildcard completions/temper.* examples/*.md examples/*.spec examples/*.crasp examples/*.brasp examples/*.regex \
    examples/*.dfa examples/*.temper))
$(BUILD)/made/text_files.c: $(CLI_TEXTS) scripts/embed.sh
	@mkdir -p $(@D)
	@$(SAY) "  EMBED   completions, examples"
	$(Q)sh scripts/embed.sh cli/text_files.h text $(CLI_TEXTS) >$@.part && mv $@.part $@

# The inequalities of heads: names and tables for the prover, the text for the auditor.
SHEET := src/number/heads.sheet
$(BUILD)/made/sheet_names.h $(BUILD)/made/sheet_tables.c: $(SHEET) scripts/sheet.awk
	@mkdir -p $(@D)
	@$(SAY) "  SHEET   $(@F)"
	$(Q)awk -v of=$(patsubst sheet_%,%,$(basename $(@F))) -f scripts/sheet.awk $< >$@.part && mv $@.part $@

$(BUILD)/made/sheet_text.c: $(SHEET) scripts/embed.sh
	@mkdir -p $(@D)
	@$(SAY) "  EMBED   $<"
	$(Q)sh scripts/embed.sh number/sheet_text.h sheet $< >$@.part && mv $@.part $@

$(BUILD)/made/lab_prose.c: $(LAB_PROSE) scripts/embed-prose.sh
	@mkdir -p $(@D)
	@$(SAY) "  EMBED   lab/prose"
	$(Q)sh scripts/embed-prose.sh $(LAB_PROSE) >$@.part && mv $@.part $@

$(BUILD)/made/%.o: $(BUILD)/made/%.c
	@$(SAY) "  CC      $<"
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

$(BUILD)/src/export/graph.o $(BUILD)/tests/model/t-export.o: $(BUILD)/made/onnx.pb-c.c

$(STATIC): $(LIB_OBJ)
	@rm -f $@
	@$(SAY) "  AR      $@"
	$(Q)$(AR) rcs $@ $^

$(LAB): $(LAB_OBJ)
	@rm -f $@
	@$(SAY) "  AR      $@"
	$(Q)$(AR) rcs $@ $^

$(SHARED): $(LIB_OBJ)
	@$(SAY) "  LD      $@"
	$(Q)$(CC) -shared -Wl,-soname,libtemper.so.$(ABI) -Wl,--no-undefined $(LDFLAGS) -o $@ $^ $(LDLIBS)
	@ln -sf $(@F) $(BUILD)/libtemper.so.$(ABI)
	@ln -sf $(@F) $(BUILD)/libtemper.so

# The program loads FLINT only if a command needs it, which saves 2 ms of start-up (cli/lazy/flint_open.c); LAZY= links it as usual.
LAZY := $(if $(findstring -fsanitize,$(CFLAGS) $(LDFLAGS)),,$(shell sh scripts/flint-link.sh --can "$(CC)" "$(EXACT)" 2>/dev/null && echo yes))
LAZY_OBJ := $(if $(LAZY),$(BUILD)/made/flint_link.o $(BUILD)/cli/lazy/flint_open.o)
FLINT_USERS := $(BUILD)/src/number/rational.o $(BUILD)/src/number/ball.o
$(BUILD)/made/flint_link.c: $(FLINT_USERS) scripts/flint-link.sh
	@mkdir -p $(@D)
	@$(SAY) "  JUMPS   $@"
	$(Q)sh scripts/flint-link.sh "$(CC)" $(@D) "$(EXACT)" $(FLINT_USERS)
$(BUILD)/cli/lazy/flint_open.o: $(BUILD)/made/flint_link.c

# What it links of FLINT comes before the library, whose exact_open.c is then left out. Before glibc 2.34 dlopen is in
# a library of its own.
$(BUILD)/temper: $(CLI_OBJ) $(LAZY_OBJ) $(LAB) $(STATIC)
	@$(SAY) "  LD      $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -ldl $(if $(LAZY),$(OTHERS),$(LDLIBS))

$(TEST_BIN) $(TEST_LONG): $(TEST_AID_OBJ) $(LAB) $(STATIC)
	@$(SAY) "  LD      $@"
	$(Q)$(CC) $(TEST_LD) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LAB) $(STATIC) $(LDLIBS)
$(foreach o,$(filter-out $(TEST_AID_OBJ),$(TEST_OBJ)),$(eval $(BUILD)/tests/$(basename $(notdir $o)): $o))

# The command line with the steps of the compiler counted (tests/cli/walks.sh).
WALKS := temper_spec_parse regular_expand formula_simplify draft_from_normal model_from_draft model_check recognise soften_by_roles \
    model_prover_longest
$(BUILD)/tests/walks/temper: $(BUILD)/tests/walks/walks.o $(CLI_OBJ) $(LAB) $(STATIC)
	@$(SAY) "  LD      $@"
	$(Q)$(CC) $(LDFLAGS) $(WALKS:%=-Wl,--wrap=%) -o $@ $^ $(LDLIBS)

.PHONY: walks walks-program
walks: ## how many files and functions five commands walk through, by gcc -finstrument-functions (a minute or two)
	@sh scripts/setup.sh build test
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=$(BUILD)/walks OPT="-O0 -g1" FAST= CFLAGS=-finstrument-functions LDFLAGS=-no-pie LAZY= walks-program
	@python3 scripts/walks.py $(BUILD)/walks/walks/temper

walks-program: $(BUILD)/walks/temper
$(BUILD)/walks/temper: $(BUILD)/tests/walks/functions.o $(CLI_OBJ) $(LAB) $(STATIC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# temper-mpi is the command line with another main; it needs mpicc, and `make all` does not build it.
MPICC   ?= mpicc
MPI_SRC := $(sort $(wildcard mpi/*.c))
MPI_OBJ := $(MPI_SRC:%.c=$(BUILD)/%.o)

$(BUILD)/mpi/%.o: mpi/%.c
	@mkdir -p $(@D)
	@$(SAY) "  MPICC   $<"
	$(Q)$(MPICC) $(ALL_CFLAGS) -Icli -c $< -o $@

$(BUILD)/temper-mpi: $(MPI_OBJ) $(filter-out $(BUILD)/cli/temper.o,$(CLI_OBJ)) $(LAB) $(STATIC)
	@$(SAY) "  LD      $@"
	$(Q)$(MPICC) $(LDFLAGS) -o $@ $^ -ldl $(LDLIBS)

include web/web.mk $(sort $(wildcard tests/*.mk))

.PRECIOUS: $(BUILD)/%.o
-include $(LIB_OBJ:.o=.d) $(LAB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(LAZY_OBJ:.o=.d) $(MPI_OBJ:.o=.d) $(TEST_OBJ:.o=.d) \
    $(BUILD)/tests/platforms/digests.d $(wildcard $(BUILD)/bench/*.d $(BUILD)/tests/fuzz/*.d)

# ---- for people ----------------------------------------------------------------------------------------------

help: ## this list
	@awk -F':.*## ' '/^[a-z.-]+:.*## / {printf "  make %-20s %s\n", $$1, $$2}' $(filter Makefile %.mk,$(MAKEFILE_LIST))

setup: ## install what building and testing need (Debian packages), or say what to install
	@sh scripts/setup.sh build test lint

demo: ## set up, build, and follow one formula from text to picture
	@sh scripts/setup.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@sh scripts/demo.sh $(BUILD)/temper

JOBS ?= $(shell nproc 2>/dev/null || echo 2)

test: ## set up, build, and run all tests (about four minutes)
	@sh scripts/setup.sh build test
	@$(MAKE) --no-print-directory -j$(JOBS) run-tests

test-long: ## the same tests with ten times the effort
	@sh scripts/setup.sh build test
	@TEMPER_TEST_EFFORT=10 $(MAKE) --no-print-directory -j$(JOBS) run-tests

# Lines for backtraces and no more (-g1): a fifth of the time of compiling.
ASAN = BUILD=$(BUILD)/asan OPT="-O1 -g1" LDFLAGS="-fsanitize=address,undefined" \
    CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"

test-asan: ## the tests under the address and undefined-behaviour sanitizers, with less effort
	@sh scripts/setup.sh build test
	@TEMPER_TEST_EFFORT=0.1 $(MAKE) --no-print-directory -j$(JOBS) $(ASAN) run-tests

asan: ## build with the sanitizers into build/asan
	@$(MAKE) --no-print-directory -j$(JOBS) $(ASAN) all

test-clang: ## some tests built by clang under its sanitizers, which know more than gcc's (installs clang)
	@sh scripts/setup.sh build clang
	@TEMPER_TEST_EFFORT=0.1 $(MAKE) --no-print-directory -j$(JOBS) BUILD=$(BUILD)/clang CC=clang OPT="-O1 -g" FAST= \
	    CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" \
	    LDFLAGS="-fsanitize=address,undefined" run-clang-tests

CLANG_TESTS = model run-hunt bad batch recognise audit certify certify-choices format-run answer plan stream exact guarded
# Without the shared library: clang's sanitizers live in programs, so it would have undefined symbols.
run-clang-tests: $(BUILD)/temper $(patsubst %,$(BUILD)/tests/t-%,$(CLANG_TESTS))
	@for t in $(CLANG_TESTS); do $(BUILD)/tests/t-$$t || exit 1; done

run-tests: all $(TEST_BIN) $(BUILD)/tests/walks/temper $(BUILD)/tests/platforms/digests $(BUILD)/bench/sizes
	@sh scripts/run-tests.sh $(BUILD) $(JOBS)

ROOM ?= cli
ROOM_pages = $(BUILD)/bench/sizes
ROOM_cli = $(BUILD)/tests/walks/temper
test-room: all $(ROOM_$(ROOM)) $(addprefix $(BUILD)/tests/,t-bad $(filter t-%,$(basename $(notdir $(wildcard tests/$(ROOM)/*.c))))) ## the tests of one room (ROOM=cli)
	@sh scripts/run-tests.sh $(BUILD) $(JOBS) $(ROOM)

test-paste: ## every command line of pages and help, pasted into an empty folder, also those that take minutes; lists what is not run
	@sh scripts/setup.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@bash tests/pages/paste.sh $(BUILD)/temper all

test-tables: ## tables of the pages against what the program says now, also those that take minutes
	@sh scripts/setup.sh build test
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/bench/sizes
	@python3 tests/pages/tables.py $(BUILD) --all

proofs: ## check the lemmas of theory and certificates with Coq, and show what they assume (installs Coq; some minutes)
	@sh scripts/setup.sh build test proofs
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@sh scripts/check-proofs.sh $(BUILD) $(JOBS)

checker: ## prove the checker of proofs/checker/ and build it: build/temper-checker (installs Coq and OCaml; some minutes)
	@sh scripts/setup.sh proofs ocaml
	@sh scripts/checker.sh $(BUILD) $(JOBS) $(VERSION)

LENGTH ?= 1000
TYPE ?= f32
theorems: ## have Coq prove the theorem about the bytes of one file: MODEL=model.temper LENGTH=1000 TYPE=f32 (installs Coq)
	@sh scripts/setup.sh proofs
	@sh scripts/theorem.sh $(BUILD) $(JOBS) "$(MODEL)" $(LENGTH) $(TYPE)

test-checker: checker ## the checker on models of random formulas, on damaged ones and on hostile files (minutes)
	@sh scripts/setup.sh build test
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@python3 tests/proof/checker.py $(BUILD) --all
	@python3 tests/proof/checker_languages.py $(BUILD) --all
	@python3 tests/proof/checker_counting.py $(BUILD) --all
.PHONY: checker theorems test-checker

mpi: ## install Open MPI and build temper-mpi, which does the work of check, limits and lab on many machines
	@sh scripts/setup.sh build mpi
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/temper-mpi

test-mpi: ## temper-mpi on 1 to 4 ranks, and ranks killed at random: always the same bytes (two minutes)
	@sh scripts/setup.sh build mpi
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/temper-mpi
	@bash tests/mpi/ranks.sh $(BUILD)

test-html: ## pages of show --html in headless Chromium, compared with the other commands (a minute)
	@sh scripts/setup.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@sh tests/html/run.sh $(BUILD)

.PHONY: wheel test-notebook site theory.pdf deb
wheel: ## a wheel with program and libraries inside, built on Debian 11 and tried in old and new Pythons, in build/wheel/dist (root; minutes)
	@sh scripts/setup.sh build venv bare
	@mkdir -p $(BUILD)
	@bash scripts/wheel.sh $(BUILD)

test-notebook: ## the notebook python/temper.ipynb shows what is committed, and its cards look alike in every host (installs Jupyter; half a minute); UPDATE=yes writes it
	@sh scripts/setup.sh build venv html
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@sh tests/python/notebook.sh $(BUILD) $(if $(UPDATE),--update)

site: ## all pages as a static site in build/site; links and, in Chromium, copy buttons are tried (installs MkDocs Material)
	@sh scripts/setup.sh build venv html
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@sh scripts/site.sh $(BUILD)

theory.pdf: ## doc/theory.md as build/theory.pdf, printed by Chromium
	@sh scripts/setup.sh venv html pdf
	@mkdir -p $(BUILD)
	@sh scripts/theory.sh $(BUILD)

deb: ## Debian packages in build/deb, looked at by lintian
	@sh scripts/setup.sh build deb
	@sh scripts/deb.sh $(BUILD)

.PHONY: test-python types
test-python: ## the Python package against the command line, its tutorial, its messages, with torch, pandas and others that it can use (installs them; a minute)
	@sh scripts/setup.sh build python pip venv cairo
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/tests/t-bad
	@sh tests/python/run.sh $(BUILD)

types: ## mypy --strict on the Python package, and on a program that uses it
	@sh scripts/setup.sh python types
	@cd python && mypy --cache-dir "$${TEMPER_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/temper}/mypy"
	@cd python && MYPYPATH=. mypy --cache-dir "$${TEMPER_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/temper}/mypy" ../tests/python/typed_use.py

# ---- measuring: bench/ ----

$(BUILD)/bench/sizes: $(BUILD)/bench/sizes.o $(TEST_AID_OBJ) $(LAB) $(STATIC)
	@$(SAY) "  LD      $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

.PHONY: sizes
sizes: $(BUILD)/bench/sizes ## layers, heads, units and proved lengths of every formula of the tests (SIZES=-t: sums)
	@$(BUILD)/bench/sizes $(SIZES)

BENCH_BIN = $(BUILD)/bench/libbench.so $(BUILD)/bench/spawn $(BUILD)/bench/kernels_bench

$(BUILD)/bench/libbench.so: $(BUILD)/bench/harness.o $(STATIC)
	@$(SAY) "  LD      $@"
	$(Q)$(CC) -shared $(LDFLAGS) -o $@ $< -Wl,--whole-archive $(STATIC) -Wl,--no-whole-archive $(LDLIBS)

$(BUILD)/bench/spawn: $(BUILD)/bench/spawn.o
	@$(SAY) "  LD      $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^

$(BUILD)/bench/kernels_bench: $(BUILD)/bench/kernels_bench.o $(STATIC)
	@$(SAY) "  LD      $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

bench: ## measure temper beside PyTorch, onnxruntime, JAX and llama.cpp, into bench/results/ (BENCH=--quick: a few minutes)
	@sh scripts/setup.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_BIN)
	@sh bench/run.sh $(BUILD) $(BENCH)



FORMATTED = $(wildcard include/*.h src/*/*.h src/*/*.c src/*/*.inc src/*/*/*.h src/*/*/*.c lab/*.h lab/*.c cli/*.h cli/*.c cli/*/*.c tests/*/*.h tests/*/*.c bench/*.h bench/*.c mpi/*.c web/*.h web/*.c examples/*.c)

lint: ## formatting, static analysis, include order, comments, pages, subjects of commits (since SINCE=COMMIT)
	@sh scripts/setup.sh build test lint
	@echo "  clang-format" && printf '%s\n' $(FORMATTED) | xargs -P $(JOBS) -n 50 clang-format --dry-run --Werror
	cppcheck -q -j$(JOBS) --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	    --suppress=missingIncludeSystem "-D_Noreturn=__attribute__((noreturn))" -Iinclude -Isrc -I. -Icli src lab cli mpi
	sh scripts/check-includes.sh
	python3 scripts/check-locale.py
	python3 scripts/same-bodies.py
	python3 scripts/check-operators.py
	python3 scripts/check-prose.py
	python3 scripts/check-proved.py
	python3 scripts/check-checker.py
	python3 scripts/wrap-pages.py --check
	sh scripts/check-subjects.sh $(SINCE)
	sh scripts/check-hosts.sh

format: ## reformat all sources, wrap comments and pages
	@clang-format -i $(FORMATTED)
	@python3 scripts/wrap-comments.py
	@python3 scripts/wrap-pages.py

hooks: ## have git format what is committed, and refuse long subjects
	@git config core.hooksPath scripts/hooks

install: all ## install under PREFIX (default /usr/local), honouring DESTDIR
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include \
	    $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 $(BUILD)/temper $(DESTDIR)$(PREFIX)/bin/temper
	if test -x $(BUILD)/temper-mpi; then \
	    install -m 755 $(BUILD)/temper-mpi $(DESTDIR)$(PREFIX)/bin/temper-mpi; \
	    install -m 644 man/temper-mpi.1 $(DESTDIR)$(PREFIX)/share/man/man1/temper-mpi.1; fi
	if test -x $(BUILD)/temper-checker; then \
	    install -m 755 $(BUILD)/temper-checker $(DESTDIR)$(PREFIX)/bin/temper-checker; \
	    install -m 644 man/temper-checker.1 $(DESTDIR)$(PREFIX)/share/man/man1/temper-checker.1; fi
	install -m 644 include/temper.h $(DESTDIR)$(PREFIX)/include/temper.h
	install -m 644 include/temper_lab.h $(DESTDIR)$(PREFIX)/include/temper_lab.h
	install -m 644 $(STATIC) $(DESTDIR)$(PREFIX)/lib/libtemper.a
	install -m 644 $(LAB) $(DESTDIR)$(PREFIX)/lib/libtemper-lab.a
	install -m 755 $(SHARED) $(DESTDIR)$(PREFIX)/lib/libtemper.so.$(VERSION)
	ln -sf libtemper.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/libtemper.so.$(ABI)
	ln -sf libtemper.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/libtemper.so
	sed -e 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(LDLIBS)|' scripts/temper.pc.in \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/temper.pc
	sed -e 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(LDLIBS)|' scripts/temper-lab.pc.in \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/temper-lab.pc
	install -m 644 man/temper.1 $(DESTDIR)$(PREFIX)/share/man/man1/temper.1
	@if test -z "$(DESTDIR)"; then ldconfig 2>/dev/null || \
	    echo "install: run ldconfig as root, or set LD_LIBRARY_PATH=$(PREFIX)/lib, so that programs find libtemper.so"; fi
	install -m 644 completions/temper.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/temper
	install -m 644 completions/temper.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_temper
	install -m 644 completions/temper.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/temper.fish

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/temper $(DESTDIR)$(PREFIX)/bin/temper-mpi \
	    $(DESTDIR)$(PREFIX)/share/man/man1/temper-mpi.1 $(DESTDIR)$(PREFIX)/bin/temper-checker \
	    $(DESTDIR)$(PREFIX)/share/man/man1/temper-checker.1 $(DESTDIR)$(PREFIX)/include/temper.h $(DESTDIR)$(PREFIX)/include/temper_lab.h \
	    $(DESTDIR)$(PREFIX)/lib/libtemper.* $(DESTDIR)$(PREFIX)/lib/libtemper-lab.a \
	    $(DESTDIR)$(PREFIX)/lib/pkgconfig/temper.pc $(DESTDIR)$(PREFIX)/lib/pkgconfig/temper-lab.pc $(DESTDIR)$(PREFIX)/share/man/man1/temper.1 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/temper \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_temper $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/temper.fish

clean: ## remove build/
	rm -rf $(BUILD)

.PHONY: all help setup demo test test-long test-asan asan test-clang run-clang-tests run-tests test-room test-paste test-tables proofs mpi test-mpi \
    test-html bench lint format hooks install uninstall clean
.DEFAULT_GOAL := all
