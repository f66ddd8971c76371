# ---- fuzzing: tests/fuzz. The library is built once more, by clang, with coverage and sanitizers. ----

FUZZ_TARGETS = spec compare regex model tensors proved certificate import gguf journal json expression
FUZZ_BUILD = $(BUILD)/fuzz
FUZZ_FLAGS = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SECONDS ?= 60
ROUNDS ?= 1
# Comparisons are traced with TRACE=1 only: tokens and the words of the languages do as well, with more than twice as many executions a second.
TRACE ?=
FUZZ_COVER = $(if $(TRACE),-fsanitize=fuzzer-no-link,-fsanitize-coverage=inline-8bit-counters$(,)pc-table)
, := ,

# The reader of models is one target for texts and one for safetensors, which have a mutator of their own, as have formulas that are compared; GGUF's bytes need none.
# Mutators are no part of what is tested: sanitizers would make them the half of the time.
$(patsubst %,$(FUZZ_BUILD)/tests/fuzz/%.o,fuzz_tokens mutate_text mutate_tensors mutate_formula): ALL_CFLAGS := $(filter-out -fsanitize%,$(ALL_CFLAGS))
FUZZ_AID = $(patsubst %,$(FUZZ_BUILD)/tests/fuzz/%.o,fuzz fuzz_tokens)
$(FUZZ_BUILD)/fuzz_tensors: $(FUZZ_BUILD)/tests/fuzz/fuzz_model.o $(FUZZ_BUILD)/tests/fuzz/mutate_tensors.o
$(FUZZ_BUILD)/fuzz_compare: $(FUZZ_BUILD)/tests/fuzz/fuzz_compare.o $(FUZZ_BUILD)/tests/fuzz/mutate_formula.o
$(FUZZ_BUILD)/fuzz_gguf: $(FUZZ_BUILD)/tests/fuzz/fuzz_gguf.o
$(patsubst %,$(FUZZ_BUILD)/fuzz_%,spec regex compare): LDFLAGS += -Wl,--wrap=dfa_from_regex
$(patsubst %,$(FUZZ_BUILD)/fuzz_%,spec regex compare): $(FUZZ_BUILD)/tests/fuzz/fuzz_automata.o
$(patsubst %,$(FUZZ_BUILD)/fuzz_%,$(filter-out tensors compare gguf,$(FUZZ_TARGETS))): $(FUZZ_BUILD)/fuzz_%: $(FUZZ_BUILD)/tests/fuzz/fuzz_%.o \
    $(FUZZ_BUILD)/tests/fuzz/mutate_text.o
$(patsubst %,$(FUZZ_BUILD)/fuzz_%,$(FUZZ_TARGETS)): $(FUZZ_AID) $(FUZZ_BUILD)/libtemper.a
	@$(SAY) "  LD      $@"
	$(Q)$(CC) -fsanitize=fuzzer $(FUZZ_FLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS)

.PHONY: fuzz fuzz-programs
fuzz: ## hostile inputs to every reader, and specifications against their transformers (SECONDS=60 a target, ROUNDS=1, FUZZ="spec model")
	@sh scripts/setup.sh build test clang
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=$(FUZZ_BUILD) FUZZ_BUILD=$(FUZZ_BUILD) CC=clang OPT="-O2 -g1" FAST= \
	    CFLAGS="$(FUZZ_COVER) $(FUZZ_FLAGS)" fuzz-programs
	@bash tests/fuzz/run.sh $(BUILD) $(SECONDS) $(ROUNDS) $(or $(FUZZ),$(FUZZ_TARGETS))

fuzz-programs: $(patsubst %,$(FUZZ_BUILD)/fuzz_%,$(FUZZ_TARGETS))
