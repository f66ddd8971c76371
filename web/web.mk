# The playground: build/web, a static site with the library as WebAssembly. Included by the Makefile.
EMSCRIPTEN   ?= /usr/share/emscripten
WEB_CACHE    ?= $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/temper-web
WEB          := $(BUILD)/web
WASM         := $(BUILD)/wasm
WASM_CC      := sh web/wasm-cc.sh
WASM_FLAGS   := $(CSTD) -O2 -DNDEBUG -Iinclude -Isrc -I. -I$(BUILD)/made -MMD -MP
FLINT_WASM   := $(WEB_CACHE)/lib/libflint-web.a
FLINT_STALE  := $(shell cat web/build-flint.sh web/flint.list web/wasm-cc.sh | cmp -s - $(WEB_CACHE)/lib/made-by || echo stale)

# ONNX needs protobuf's runtime, which the page has no use for; AVX2 and AVX-512 are another machine's.
WASM_SRC     := $(filter-out src/export/graph.c src/run/kernels_avx2.c src/run/kernels_avx512.c,$(LIB_SRC))
WASM_OBJ     := $(WASM_SRC:%.c=$(WASM)/%.o) $(WASM)/made/sheet_tables.o $(WASM)/made/sheet_text.o
SHIM_SRC     := web/shim.c web/shim_work.c web/reply.c web/runtime.c web/memory_files.c web/never_flint.c
SHIM_OBJ     := $(SHIM_SRC:web/%.c=$(WASM)/web/%.o)
MUSL         := $(EMSCRIPTEN)/system/lib/libc/musl
LIBC_SRC     := $(shell sed 's/\#.*//' web/libc.list)
LIBC_OBJ     := $(LIBC_SRC:%.c=$(WASM)/libc/%.o)
LIBC_FLAGS   := -O2 -fno-builtin -w -I$(MUSL)/src/internal -I$(MUSL)/src/include -I$(MUSL)/include -I$(EMSCRIPTEN)/system/lib/libc \
    -I$(EMSCRIPTEN)/system/lib/pthread

$(WASM)/src/%.o: src/%.c web/wasm-cc.sh
	@mkdir -p $(@D)
	@$(SAY) "  WASM    $<"
	$(Q)$(WASM_CC) $(WASM_FLAGS) -isystem $(WEB_CACHE)/include -c $< -o $@

$(WASM)/made/%.o: $(BUILD)/made/%.c web/wasm-cc.sh
	@mkdir -p $(@D)
	@$(SAY) "  WASM    $<"
	$(Q)$(WASM_CC) $(WASM_FLAGS) -c $< -o $@
$(WASM_OBJ): | $(BUILD)/made/sheet_names.h

$(WASM)/web/%.o: web/%.c web/wasm-cc.sh
	@mkdir -p $(@D)
	@$(SAY) "  WASM    $<"
	$(Q)$(WASM_CC) $(WASM_FLAGS) -Wall -Wextra -Wno-unused-parameter -c $< -o $@

# Exact arithmetic is built once and kept outside the tree, with what it was made by; its headers come before what includes them.
$(FLINT_WASM): $(if $(FLINT_STALE),flint-wasm-stale)
	$(Q)JOBS=$(JOBS) sh web/build-flint.sh "$(WEB_CACHE)"
.PHONY: flint-wasm-stale
flint-wasm-stale:
$(WASM)/src/number/ball.o $(WASM)/src/number/rational.o: $(FLINT_WASM)

# malloc is not a part of musl here, and comparisons of quad floats must give an int, which their source does only there.
$(WASM)/libc/dlmalloc.o: LIBC_FLAGS = -O2 -fno-builtin -w -DNDEBUG
$(WASM)/libc/compiler-rt/lib/builtins/comparetf2.o: LIBC_FLAGS = -O2 -fno-builtin -w -D__aarch64__
$(WASM)/libc/%.o: $(EMSCRIPTEN)/system/lib/%.c web/wasm-cc.sh
	@mkdir -p $(@D)
	$(Q)$(WASM_CC) $(LIBC_FLAGS) -c $< -o $@

$(WASM)/libc.a: $(LIBC_OBJ)
	@rm -f $@
	$(Q)llvm-ar-14 rcs $@ $^

$(WASM)/temper.wasm: $(WASM_OBJ) $(SHIM_OBJ) $(WASM)/libc.a $(FLINT_WASM)
	@$(SAY) "  LD      $@"
	@rm -f $(WASM)/libtemper.a && llvm-ar-14 rcs $(WASM)/libtemper.a $(WASM_OBJ)
	$(Q)wasm-ld-14 -mwasm64 --no-entry --gc-sections --export-dynamic --export=__stack_pointer --export=__wasm_call_ctors --export-table \
	    -z stack-size=4194304 --error-limit=0 $(SHIM_OBJ) $(WASM)/libtemper.a $(FLINT_WASM) $(WASM)/libc.a -o $@.64
	$(Q)wasm-opt -O2 --memory64-lowering --enable-memory64 --enable-bulk-memory --enable-sign-ext --enable-mutable-globals \
	    --enable-nontrapping-float-to-int $@.64 -o $@

# ---- the site ----
SITE_SRC := $(sort $(wildcard web/site/* web/engine/*.js)) src/draw/page/components.css
# The proved checker, if `make checker` has made it: Coq is not asked for here.
CHECKER_JS := $(wildcard $(BUILD)/checker/checker.js)
CHECKER_SRC := $(if $(CHECKER_JS),web/checked/proved_checker.js $(CHECKER_JS))

$(WEB)/stamp: $(WASM)/temper.wasm $(SITE_SRC) $(CHECKER_SRC) LICENSE web/web.mk
	@$(SAY) "  SITE    $(WEB)"
	$(Q)rm -rf $(WEB) && mkdir -p $(WEB)/engine $(WEB)/licences
	$(Q)cp web/site/* src/draw/page/components.css $(WEB) && cp web/engine/*.js $(WEB)/engine && cp $(WASM)/temper.wasm $(WEB)
	$(Q)$(if $(CHECKER_SRC),cp $(CHECKER_SRC) $(WEB))
	$(Q)cp LICENSE $(WEB)/licences/temper.txt && cp $(MUSL)/COPYRIGHT $(WEB)/licences/musl.txt
	$(Q)cp $(WEB_CACHE)/licences/* $(WEB)/licences
	$(Q)touch $@

# One page with everything inside, for where there is no network and no server.
$(BUILD)/temper-playground.html: $(WEB)/stamp web/one_file.py $(wildcard web/inside/*)
	@$(SAY) "  FILE    $@"
	$(Q)python3 web/one_file.py $(WEB) web/inside $@

.PHONY: web web-serve web-site web-file
web-site: $(WEB)/stamp

web: ## the playground, a static site in build/web (installs emscripten and builds FLINT for it once; minutes, later one)
	@sh scripts/setup.sh build web
	@$(MAKE) --no-print-directory -j$(JOBS) web-site

web-file: web ## the playground as one file that needs no network and no server: build/temper-playground.html
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/temper-playground.html
	@echo "web-file: $(BUILD)/temper-playground.html opens in any browser"

web-serve: ## serve build/web and print the address; PORT=8000 is the first port that is tried, HOST=0.0.0.0 lets phones in
	@test -e $(WEB)/stamp || $(MAKE) --no-print-directory web
	@python3 web/serve.py $(WEB) $(or $(HOST),127.0.0.1) $(or $(PORT),8000)

# ---- the npm package ----
$(BUILD)/npm/temper-softmax-$(VERSION).tgz: $(WASM)/temper.wasm $(wildcard web/npm/* web/engine/*.js) LICENSE
	@$(SAY) "  NPM     $@"
	$(Q)rm -rf $(BUILD)/npm && mkdir -p $(BUILD)/npm/package/engine $(BUILD)/npm/package/licences
	$(Q)cp web/npm/* $(BUILD)/npm/package && cp web/engine/*.js $(BUILD)/npm/package/engine
	$(Q)sed -i 's/@VERSION@/$(VERSION)/' $(BUILD)/npm/package/package.json
	$(Q)cp $(WASM)/temper.wasm $(BUILD)/npm/package && cp LICENSE $(BUILD)/npm/package/licences/temper.txt
	$(Q)cp $(MUSL)/COPYRIGHT $(BUILD)/npm/package/licences/musl.txt
	$(Q)cp $(WEB_CACHE)/licences/* $(BUILD)/npm/package/licences
	$(Q)cd $(BUILD)/npm && npm pack --silent ./package >/dev/null

.PHONY: web-npm
web-npm: ## the npm package, a tarball in build/npm
	@sh scripts/setup.sh build web node
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/npm/temper-softmax-$(VERSION).tgz

# ---- tests: tests/web ----
$(BUILD)/tests/web/native_cases: $(BUILD)/tests/web/native_cases.o $(TEST_AID_OBJ) $(STATIC)
	@$(SAY) "  LD      $@"
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

.PHONY: test-web test-web-sample
test-web: ## the playground: WebAssembly against the native library bit by bit, and the page in headless Chromium (minutes)
	@sh scripts/setup.sh build web html
	@$(MAKE) --no-print-directory -j$(JOBS) web-site $(BUILD)/temper-playground.html $(BUILD)/temper $(BUILD)/tests/web/native_cases $(BUILD)/npm/temper-softmax-$(VERSION).tgz
	@sh tests/web/run.sh $(BUILD)

test-web-sample: ## a part of it
	@sh scripts/setup.sh build web html
	@$(MAKE) --no-print-directory -j$(JOBS) web-site $(BUILD)/temper-playground.html $(BUILD)/tests/web/native_cases $(BUILD)/npm/temper-softmax-$(VERSION).tgz
	@sh tests/web/run.sh $(BUILD) sample

-include $(WASM_OBJ:.o=.d) $(SHIM_OBJ:.o=.d)
