VENV := .venv
BIN := $(VENV)/bin

# Three test processes, also on two cores: one of them usually waits, for a server or a training. A
# file's tests run in one of them, since they share tabs and servers; the files in the order in which
# they are collected.
# At the lowest priority, which the trainings that tests start have, too: beside others they would wait.
PYTEST := nice -n 19 $(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder

.PHONY: run test quick coverage previews checks format clean

# Streamlit prints the address.
run: $(VENV)/.app
	$(BIN)/streamlit run app.py

# Everything, in a Chromium too.
test: checks
	@chromium=$$($(chromium)) && test -n "$$chromium" && echo "Tests, with the browser $$chromium" && \
	LNVIZ_CHROMIUM="$$chromium" $(PYTEST)

# For every save: without a browser, without the tests that take long, with fewer examples, and
# without a look at the shapes that functions are given.
quick: checks
	JAXTYPING_DISABLE=1 $(PYTEST) --ignore=tests/browser -m "not slow" --hypothesis-profile=quick

# Which lines of lnviz no test without a browser has run. Apart from the others, because up to Python
# 3.11 watching the lines takes nearly as long as the tests themselves.
coverage: $(VENV)/.dev
	$(PYTEST) --ignore=tests/browser --hypothesis-profile=quick --cov --cov-report=term-missing:skip-covered

# The pictures that are shown of pages where somebody shares a link.
previews: $(VENV)/.dev
	@chromium=$$($(chromium)) && LNVIZ_CHROMIUM="$$chromium" $(BIN)/python -m tests.browser.previews

checks: $(VENV)/.dev node_modules/.package-lock.json
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/node node_modules/typescript/bin/tsc
	$(BIN)/lint-imports --no-cache --no-logo

format: $(VENV)/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage

# Stamps: a second run installs only when a requirements file is newer.
$(VENV)/.app: requirements.txt | $(BIN)/pip
	$(BIN)/pip install --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt requirements-notebook.txt $(VENV)/.app
	$(BIN)/pip install --disable-pip-version-check -r requirements-dev.txt
	@touch $@

node_modules/.package-lock.json: package-lock.json $(VENV)/.dev
	$(BIN)/npm ci
	@touch $@

# The candidates are run, not looked up: a name on the path may be a wrapper for nothing.
# pip is the last thing venv installs, so an interrupted set-up starts again.
$(BIN)/pip:
	@for python in python3.13 python3.12 python3.11 python3; do \
	  if $$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
	    2>/dev/null; then \
	    echo "Creating $(VENV) with $$($$python --version)"; \
	    exec $$python -m venv --clear $(VENV); \
	  fi; \
	done; \
	found=$$(python3 --version 2>/dev/null); \
	echo "Python 3.11 or later with its venv module is needed; found: $${found:-no python3}." \
	  "Install it (on Debian and Ubuntu: python3 and python3-venv) and try again." >&2; \
	exit 1

# Prints the path of a Chromium: the one LNVIZ_CHROMIUM names, else an installed one, else one
# installed now. The last step also serves systems whose Debian package is a pointer to a snap.
define chromium
  find() { \
    for name; do \
      if "$$name" --version >/dev/null 2>&1; then command -v "$$name"; return; fi; \
    done; \
    return 1; \
  }; \
  installed="chromium-headless-shell chromium chromium-browser google-chrome"; \
  if [ -n "$$LNVIZ_CHROMIUM" ]; then \
    find "$$LNVIZ_CHROMIUM" || echo "LNVIZ_CHROMIUM=$$LNVIZ_CHROMIUM does not start." >&2; \
    exit; \
  fi; \
  find $$installed && exit; \
  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
    { apt-get update && for package in chromium-headless-shell chromium; do \
      DEBIAN_FRONTEND=noninteractive apt-get install -y $$package && break; done; } >&2; \
    find $$installed && exit; \
  fi; \
  $(BIN)/playwright install chromium >&2 && $(BIN)/python -c "$(playwright_path)"
endef
playwright_path := from playwright.sync_api import sync_playwright; \
  p = sync_playwright().start(); print(p.chromium.executable_path); p.stop()
