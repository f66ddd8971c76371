# make mutants: does a test notice every change of a proof?

# Options of scripts/mutants.py, such as --sample 300.
MUTANTS ?=
.PHONY: mutants
MUTANT_TESTS := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(wildcard $(patsubst %,tests/*/t-%*.c,bound every choice proved probabilities recognise certify audit answer stream facts-threads \
    parse bad eval crasp brasp print language hostile places outputs matches dfa regex classify group diagram same-language decide \
    transduce spelling sequences agree-corpus next sizes cascade regular model safetensors gguf expression import ordinary-import digits json))))

mutants: ## change every constant and comparison of the proofs, one at a time: does a test notice? (hours; MUTANTS="--sample 300")
	@sh scripts/setup.sh build test
	@$(MAKE) --no-print-directory -j$(JOBS) all $(MUTANT_TESTS)
	@CC="$(CC)" MUTANT_CFLAGS="$(ALL_CFLAGS) $(TEST_INCLUDES)" MUTANT_LDFLAGS="$(LDFLAGS)" MUTANT_LDLIBS="$(LDLIBS)" \
	    python3 scripts/mutants.py --build $(BUILD) --jobs $(JOBS) $(MUTANTS)

.PHONY: sheet-mutants
sheet-mutants: ## change every constant and operator of the sheet of inequalities: does a test notice? (half an hour)
	@sh scripts/setup.sh build test
	@$(MAKE) --no-print-directory -j$(JOBS) all $(patsubst %,$(BUILD)/tests/t-%,sheet bound bound-conditions bound-alone bound-match bound-gates own-lengths bound-truth bound-quantities audit-bounds audit-logit)
	@python3 scripts/sheet-mutants.py $(BUILD) "$(CC)" "$(LDLIBS)"
