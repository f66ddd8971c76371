# What is handed out, and whether it works. Included by the Makefile; neither is a part of .ci/run.
.PHONY: release test-release
release: ## everything that is handed out, with checksums, in build/release: wheel, sdist, deb, npm, site, playground, PDF, sources (root; long)
	@sh scripts/setup.sh build venv web html pdf node deb bare
	@bash scripts/release.sh $(BUILD)

test-release: ## install and use each artefact of make release (root; minutes; REFERENCE=folder compares bytes)
	@sh scripts/setup.sh build venv html pdf node bare
	@bash tests/release/run.sh $(BUILD) $(REFERENCE)
