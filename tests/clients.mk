# ---- exported models in PyTorch and onnxruntime: tests/interop ----

$(BUILD)/tests/interop/make_cases: $(BUILD)/tests/interop/make_cases.o $(TEST_AID_OBJ) $(STATIC)
	@$(SAY) "  LD      $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

.PHONY: test-interop
test-interop: ## exported models in PyTorch and onnxruntime give temper's answers (installs both; a minute or two)
	@sh scripts/setup.sh build torch onnx node venv
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/tests/interop/make_cases
	@bash tests/interop/run.sh $(BUILD)

.PHONY: test-newest
test-newest: ## the newest release of every client beside the pinned one, and a table of both (installs them; ten minutes)
	@sh scripts/setup.sh build node venv
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/tests/interop/make_cases $(RUNTIME_BIN)
	@bash tests/clients/newest.sh $(BUILD)

# ---- ordinary GPT-2s and Llamas in the runtimes that people have: tests/runtimes ----

$(BUILD)/tests/runtimes/%: $(BUILD)/tests/runtimes/%.o $(TEST_AID_OBJ) $(LAB) $(STATIC)
	@$(SAY) "  LD      $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

.PHONY: test-ordinary test-ordinary-sample test-ordinary-long test-stock test-stock-sample test-stock-long
RUNTIME_BIN = $(BUILD)/tests/runtimes/make_random $(BUILD)/tests/runtimes/make_probes $(BUILD)/tests/runtimes/make_cases
test-ordinary: ## ordinary GPT-2s and Llamas in llama.cpp, transformers and transformers.js (installs them; six minutes)
	@sh scripts/setup.sh build node venv
	@$(MAKE) --no-print-directory -j$(JOBS) all $(RUNTIME_BIN)
	@bash tests/runtimes/run.sh $(BUILD)

test-ordinary-sample: ## a part of it, for continuous integration (a minute)
	@sh scripts/setup.sh build node venv
	@$(MAKE) --no-print-directory -j$(JOBS) all $(RUNTIME_BIN)
	@bash tests/runtimes/run.sh $(BUILD) sample

test-ordinary-long: ## the same for 4,096 and 16,384 letters
	@sh scripts/setup.sh build node venv
	@$(MAKE) --no-print-directory -j$(JOBS) all $(RUNTIME_BIN)
	@bash tests/runtimes/run.sh $(BUILD) long

# Names of before, until 1.0.
test-stock: test-ordinary
test-stock-sample: test-ordinary-sample
test-stock-long: test-ordinary-long
