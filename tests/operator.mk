# A new operator of the language, made as CONTRIBUTING says.

.PHONY: test-operator
test-operator: ## add an operator in a copy of the sources by CONTRIBUTING's recipe, build it and use it (a minute)
	@sh scripts/setup.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) all $(addprefix $(BUILD)/tests/,t-eval t-eval-steps t-parse-tokens)
	@python3 tests/operator/new_operator.py $(BUILD) $(JOBS)
