# ---- coverage: the library is built once more, for gcov. ----
COVERAGE_TESTS = $(filter-out %-hunt.c %/t-proved-length.c,$(wildcard $(patsubst %,tests/*/t-%*.c,parse bad eval crasp brasp print language hostile places outputs transduce match next \
    probabilities stream sample sequences languages spelling dfa regex regular classify group cascade decide diagram same-language model safetensors gguf expression json import \
    ordinary-import bound every choice proved certify audit agree-corpus agree-random api answer check entry exact gallery limits likelihood recognise sizes soften tree)))
COVERAGE_BIN = $(patsubst %.c,$(BUILD)/coverage/tests/%,$(notdir $(COVERAGE_TESTS)))
.PHONY: coverage coverage-programs
coverage: ## which branches of readers and proofs no test takes, in build/coverage/left (long)
	@sh scripts/setup.sh build test
	@rm -rf $(BUILD)/coverage/src/*/*.gcda $(BUILD)/coverage/src/*/*/*.gcda
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=$(BUILD)/coverage OPT="-O0 --coverage" FAST= LDFLAGS=--coverage LAZY= $(BUILD)/coverage/temper $(COVERAGE_BIN)
	@for test in $$(grep -l common.bash tests/cli/*.sh) tests/cli/import.sh; do bash $$test $(BUILD)/coverage/temper | tail -n 1; done
	@TEMPER_TEST_EFFORT=$(or $(EFFORT),0.2) python3 scripts/coverage.py --jobs $(JOBS) --build $(BUILD)/coverage --page $(BUILD)/coverage/left --report $(BUILD)/coverage/report.md $(COVERAGE_BIN)
