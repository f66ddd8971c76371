# Long searches for a wrong answer, and tests with much more effort than `make test` has.

.PHONY: test-regular test-number certify-hunt length-hunt ordinary-hunt stock-hunt test-faults
test-regular: ## regular languages and random automata with much more effort (minutes)
	@sh scripts/setup.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/tests/t-regular $(BUILD)/tests/t-regex-look $(BUILD)/tests/t-cascade
	TEMPER_TEST_EFFORT=20 $(BUILD)/tests/t-regular
	TEMPER_TEST_EFFORT=50 $(BUILD)/tests/t-regex-look
	TEMPER_TEST_EFFORT=10 $(BUILD)/tests/t-cascade

test-number: ## exp and log: every float, millions of doubles, against MPFR (minutes)
	@sh scripts/setup.sh build mpfr
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/tests/long-number
	$(BUILD)/tests/long-number

certify-hunt: ## look for a string that contradicts a certificate: 10^7 short strings, 10^4 long ones, 10^4 sums, 10^5 forged models (an hour)
	@sh scripts/setup.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/tests/t-certify-hunt $(BUILD)/tests/t-sum-hunt $(BUILD)/tests/t-audit-hunt $(BUILD)/tests/t-run-hunt \
	    $(BUILD)/tests/t-proved-length
	TEMPER_HUNT=full $(BUILD)/tests/t-certify-hunt
	TEMPER_HUNT=full $(BUILD)/tests/t-sum-hunt
	TEMPER_TEST_EFFORT=35 $(BUILD)/tests/t-audit-hunt
	TEMPER_TEST_EFFORT=170 $(BUILD)/tests/t-run-hunt
	TEMPER_HUNT=full $(BUILD)/tests/t-proved-length

length-hunt: ## run models that were proved for 64 to 16,384 letters: 2*10^5 strings against exact arithmetic, the gallery against its programs (an hour)
	@sh scripts/setup.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/tests/t-length-hunt
	TEMPER_HUNT=full $(BUILD)/tests/t-length-hunt

ordinary-hunt: ## ordinary transformers: 10^5 edited files, audited with certificates that name the new file; odd models at the largest proved length (an hour)
	@sh scripts/setup.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/tests/t-ordinary-hunt $(BUILD)/tests/long-ordinary $(BUILD)/tests/runtimes/prove_cases
	$(BUILD)/tests/runtimes/prove_cases $(BUILD)/ordinary-proofs 256
	TEMPER_HUNT=full $(BUILD)/tests/t-ordinary-hunt
	TEMPER_TEST_EFFORT=10 $(BUILD)/tests/long-ordinary

stock-hunt: ordinary-hunt # its name of before, until 1.0

test-faults: ## memory and files fail at every place of 38 commands, and programs are killed 10,000 times (minutes)
	@sh scripts/setup.sh build test
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@bash tests/cli/faults.sh $(BUILD)/temper --share 0/1 --kills $(KILLS) --jobs $(JOBS)
KILLS ?= 10000
