# A machine with nothing on it, and the container. Included by the Makefile; neither is a part of .ci/run.
SUITE ?= bookworm

.PHONY: test-bare test-container
test-bare: ## make demo and make test in a root by debootstrap with git and make alone, as root and by sudo (root; long; SUITE=trixie)
	@sh scripts/setup.sh bare
	@bash tests/bare/run.sh $(BUILD) $(SUITE)

test-container: ## build the Containerfile on a base by debootstrap, and run it (root; installs buildah; minutes; SUITE=trixie)
	@sh scripts/setup.sh bare container
	@bash tests/bare/container.sh $(BUILD) $(SUITE)
