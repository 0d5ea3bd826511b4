# Each target sets up what it needs and says what it does; none needs another to have run first.
# `make` alone lists them. Prerequisites: git, make and Python 3.11 or newer with venv; Go for
# `make tools` and `make bench`.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check
GPUSPEC := $(VENV)/bin/gpuspec

# What `make demo` works on.
DEMO_SPEC := examples/chat.yaml
DEMO_PROFILE := examples/clusters/bare-metal.yaml

# Folder of the public trace that the fragmentation metric is held against (docs/fragmentation.md).
DATA ?=

# Folder of definitions and of the public trace that tests hold us against (tests/outside.py).
OUTSIDE ?= $(GPUSPEC_OUTSIDE)

# Folder of real manifests that `make bench` lints too.
CORPUS ?=

# Kubernetes of the control plane, one of those that a folder pins (the newest), and a profile whose
# nodes are simulated there.
MINOR ?= $(lastword $(sort $(patsubst tests/control_plane/tools-%,%,$(wildcard tests/control_plane/tools-1.*))))
PROFILE ?=

# Which of its tests run: options of pytest, say `--last-failed`.
STORIES ?=

# What is tried with inputs that nobody means (docs/fuzzing.md).
SEED ?= 1
TRIES ?= 20000

RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check docs tools bench clean
.PHONY: openb openb-ties openb-ablation openb-page
.PHONY: control-plane-tools control-plane control-plane-test agreement
.PHONY: hosts-test argocd-tools outside-test fuzz refusals refusals-tools
.PHONY: new rule runtime kind

help:
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 22

demo: $(RUNTIME) ## set up, then render a shipped example, explain it, lint it, place it
	@echo "$$ gpuspec render $(DEMO_SPEC) -c $(DEMO_PROFILE) -o build/demo"
	@$(GPUSPEC) render $(DEMO_SPEC) -c $(DEMO_PROFILE) -o build/demo
	@echo; echo "$$ gpuspec explain $(DEMO_SPEC) -c $(DEMO_PROFILE) --path startupProbe"
	@$(GPUSPEC) explain $(DEMO_SPEC) -c $(DEMO_PROFILE) --path startupProbe
	@echo; echo "$$ gpuspec lint build/demo -c $(DEMO_PROFILE)"
	@$(GPUSPEC) lint build/demo -c $(DEMO_PROFILE)
	@echo; echo "$$ gpuspec fit build/demo -c $(DEMO_PROFILE) | tail -n 1"
	@$(GPUSPEC) fit build/demo -c $(DEMO_PROFILE) | tail -n 1
	@echo; echo "The objects are in build/demo; docs/quickstart.md goes on from here."

test: $(DEV) ## run the tests that need no program of `make tools` and no data from outside
	@echo "==> tests, without those that need the real programs (make tools)"
	$(PY) -m pytest -n auto -rs -m "not binaries and not control_plane and not outside"

check: $(DEV) ## check format, lint, types and which package imports which
	@echo "==> format"
	$(PY) -m ruff format --check .
	@echo "==> lint"
	$(PY) -m ruff check .
	@echo "==> types"
	$(PY) -m mypy
	@echo "==> imports between packages"
	$(PY) -m pytest tests/test_package_imports.py tests/test_circles.py

docs: $(DEV) ## write the generated pages and schemas anew
	@echo "==> schemas, reference, servers, models, keys, rules, first contact, coverage, limits"
	$(PY) schemas/make_kubernetes.py
	$(PY) docs/make_startup.py
	$(PY) schemas/make_gpuspec.py
	$(PY) schemas/make_apiserver.py
	$(PY) schemas/make_configurations.py
	$(PY) schemas/make_krm.py
	$(PY) docs/make_reference.py
	$(PY) docs/make_servers.py
	$(PY) docs/make_signals.py
	$(PY) docs/make_terminal.py
	$(PY) docs/make_man.py
	$(PY) docs/make_models.py
	$(PY) docs/make_rebuilt.py
	$(PY) docs/make_keys.py
	$(PY) docs/make_options.py
	$(PY) docs/make_controllers.py
	$(PY) docs/make_targets.py
	$(PY) docs/make_references.py
	$(PY) docs/make_rules.py
	$(PY) docs/make_first_contact.py
	$(PY) docs/make_coverage.py
	$(PY) docs/make_limits.py

new: $(DEV) ## write a skeleton with its test and page: make new rule|runtime|kind NAME=…
	@$(PY) docs/new.py "$(filter rule runtime kind,$(MAKECMDGOALS))" "$(NAME)"

rule runtime kind: new
	@:

tools: $(DEV) ## build the pinned real programs that we are judged by, into a cache folder
	@echo "==> real programs, pinned in tests/tools/go.mod"
	tests/tools/install "$(CURDIR)/$(VENV)/bin/kubectl"

bench: tools ## measure speed against Helm, other linters and a bare interpreter; writes build/bench.json
	@echo "==> benchmarks (a few minutes)"
	$(PY) -m benchmarks.run $(if $(CORPUS),"$(CORPUS)")

openb: $(RUNTIME) ## replay the public trace, DATA=<its folder>; writes build/openb.json
	@echo "==> six policies, seventeen workloads, ten seeds (some fifteen minutes of one core)" >&2
	@$(PY) -m benchmarks.openb $(if $(DATA),"$(DATA)")

openb-ties: $(RUNTIME) ## the same with ties broken at random, as kube-scheduler does
	@echo "==> seven methods, seventeen workloads (some fifteen minutes of one core)" >&2
	@$(PY) -m benchmarks.openb.ties $(if $(DATA),"$(DATA)")

openb-ablation: $(RUNTIME) ## what one shape of pod costs that fleet
	@echo "==> forty mixes, four methods (some ten minutes of one core)" >&2
	@$(PY) -m benchmarks.openb.ablation $(if $(DATA),"$(DATA)")

openb-page: $(RUNTIME) ## write the tables of docs/fragmentation.md anew from what these three wrote
	$(PY) -m benchmarks.openb.page

control-plane-tools: ## build the programs of a real control plane, MINOR=1.x, into that folder
	@echo "==> control plane $(MINOR), pinned in tests/control_plane/*/go.mod"
	tests/control_plane/install $(MINOR)

control-plane: $(DEV) control-plane-tools ## run one on loopback until interrupted; prints a kubeconfig
	@$(PY) -m tests.control_plane --minor $(MINOR) $(if $(PROFILE),--profile $(PROFILE))

control-plane-test: $(DEV) control-plane-tools ## let the real API server, scheduler and queue judge
	tests/refusals/install
	@echo "==> tests against a real control plane $(MINOR)"
	GPUSPEC_MINOR=$(MINOR) $(if $(STORIES),,GPUSPEC_RESULTS=build/control-plane-$(MINOR).json) \
	    $(PY) -m pytest -rs -o cache_dir=build/pytest-$(MINOR) $(STORIES) \
	    tests/control_plane tests/refusals/test_server.py

hosts-test: tools ## one story for each host, with the real program where there is one; as root the containers too
	@echo "==> hosts, pinned in tests/hosts/tools"
	tests/hosts/tools/install
	$(PY) -m pytest -rs tests/hosts

argocd-tools: ## build Argo CD's repo server and plugin server (half an hour of two cores), which judge the plugin
	@echo "==> Argo CD, pinned in tests/hosts/tools/argo-cd"
	tests/hosts/tools/install argo-cd

outside-test: $(DEV) ## hold us against definitions and a public trace, OUTSIDE=their folder
	@echo "==> tests against data outside the checkout"
ifeq ($(and $(OUTSIDE),$(wildcard $(OUTSIDE)/*)),)
	@echo "not run: no data; OUTSIDE=FOLDER names a folder with crds/ and data/openb/ (tests/outside.py)"
else
	GPUSPEC_OUTSIDE="$(abspath $(OUTSIDE))" $(PY) -m pytest -rs -m outside
endif

agreement: $(DEV) control-plane-tools ## ask the real scheduler about thousands of pods (minutes); writes build/
	@echo "==> do our filters and messages agree with kube-scheduler $(MINOR)?"
	$(PY) -m tests.control_plane.agreement --minor $(MINOR)
	$(PY) -m tests.control_plane.claims_agreement --minor $(MINOR)

fuzz: $(DEV) ## give every command inputs that nobody means, SEED=1 TRIES=20000; writes build/fuzz.json
	@echo "==> $(TRIES) tries of seed $(SEED)"
	@$(PY) -m tests.fuzz --seed $(SEED) --tries $(TRIES) --write

refusals: TRIES = 200000
refusals: $(DEV) refusals-tools ## hold the linter against what a server refuses, SEED=1 TRIES=200000; writes build/refusals-SEED.json
	@echo "==> $(TRIES) mutants of seed $(SEED): what does a server refuse, and what does the linter?"
	@$(PY) -m tests.refusals.contest --seed $(SEED) --tries $(TRIES) --write
	@echo "==> and what of the objects that Kubernetes' own tests validate?"
	@$(PY) -m tests.refusals.contest --tested --write
	@echo "==> and what do operators refuse?"
	@$(PY) -m tests.refusals.operators.contest --seed $(SEED) --write

refusals-tools: ## build the API server's and the operators' own code that judges what they refuse, and run Kubernetes' tests
	@echo "==> judges of refusals, pinned in tests/control_plane/*/go.mod"
	tests/refusals/install
	@echo "==> what Kubernetes' own tests validate"
	tests/refusals/record
	@echo "==> judges of operators' refusals, pinned in tests/refusals/operators/operator-judge/modules"
	tests/refusals/operators/install

clean: ## remove the virtual environment and what was built; the cache of programs stays
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# A virtual environment whose interpreter is gone counts as missing, and is made anew.
$(PY):
	@echo "==> virtual environment in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "$(PYTHON) is not Python 3.11 or newer; name one that is: make PYTHON=python3.12 ..." >&2; \
	    exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
	    echo "$(PYTHON) lacks venv; on Debian and Ubuntu: apt-get install python3-venv" >&2; \
	    exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)

$(RUNTIME): pyproject.toml | $(PY)
	@echo "==> gpuspec and its runtime dependencies into $(VENV)"
	@$(PIP) install --quiet --editable .
	@touch $@

# Dependency groups need pip 25.1.
$(DEV): pyproject.toml | $(PY)
	@echo "==> gpuspec and its development tools into $(VENV)"
	@$(PIP) install --quiet --upgrade "pip>=25.1"
	@$(PIP) install --quiet --editable . --group dev
	@touch $(RUNTIME) $@
