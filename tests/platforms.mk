# ---- the same bits everywhere: tests/platforms ----

$(BUILD)/tests/platforms/digests: $(BUILD)/tests/platforms/digests.o $(STATIC)
	@$(SAY) "  LD      $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

PLATFORMS ?=
.PHONY: test-platforms
test-platforms: ## the same bits by gcc and clang with any option, on arm64, riscv64, s390x and in WebAssembly (cross compilers, qemu; long)
	@sh scripts/setup.sh build clang platforms web node
	@$(MAKE) --no-print-directory -j$(JOBS) web-site $(BUILD)/tests/platforms/digests
	@bash tests/platforms/run.sh $(BUILD) $(JOBS) $(PLATFORMS)
