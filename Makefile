# Each target sets up what it needs and prints what it does. No target needs another to have run before.
# `make` without a target lists them. Prerequisites: git, make and Python 3.11 or newer with venv; Go for
# `make tools` and `make bench`.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check
GPUSPEC := $(VENV)/bin/gpuspec

# The spec and the profile of `make demo`.
DEMO_SPEC := examples/chat.yaml
DEMO_PROFILE := examples/clusters/bare-metal.yaml

# Folder of the public trace that `make openb` replays (docs/fragmentation.md).
DATA ?=

# Folder with definitions and the public trace for `make outside-test` (tests/outside.py).
OUTSIDE ?= $(GPUSPEC_OUTSIDE)

# Folder of real manifests that `make bench` also lints.
CORPUS ?=

# Minor version of the control plane, by default the newest one with a tools folder, and a profile whose nodes it
# simulates.
MINOR ?= $(lastword $(sort $(patsubst tests/control_plane/tools-%,%,$(wildcard tests/control_plane/tools-1.*))))
PROFILE ?=

# Options of pytest that select the control plane's tests, such as `--last-failed`.
STORIES ?=

# Seed and number of tries of `make fuzz` (docs/fuzzing.md) and `make refusals`.
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

demo: $(RUNTIME) ## set up, then render a shipped example, explain it, lint it, and fit it to nodes
	@echo "$$ gpuspec render $(DEMO_SPEC) -c $(DEMO_PROFILE) -o build/demo"
	@$(GPUSPEC) render $(DEMO_SPEC) -c $(DEMO_PROFILE) -o build/demo
	@echo; echo "$$ gpuspec explain $(DEMO_SPEC) -c $(DEMO_PROFILE) --path startupProbe"
	@$(GPUSPEC) explain $(DEMO_SPEC) -c $(DEMO_PROFILE) --path startupProbe
	@echo; echo "$$ gpuspec lint build/demo -c $(DEMO_PROFILE)"
	@$(GPUSPEC) lint build/demo -c $(DEMO_PROFILE)
	@echo; echo "$$ gpuspec fit build/demo -c $(DEMO_PROFILE) | tail -n 1"
	@$(GPUSPEC) fit build/demo -c $(DEMO_PROFILE) | tail -n 1
	@echo; echo "The objects are in build/demo; docs/quickstart.md continues from here."

test: $(DEV) ## run the tests that need no program of `make tools` and no external data
	@echo "==> tests, without those that need the real programs (make tools)"
	$(PY) -m pytest -n auto -rs -m "not binaries and not control_plane and not outside"

check: $(DEV) ## check format, lint, types and imports between packages
	@echo "==> format"
	$(PY) -m ruff format --check .
	@echo "==> lint"
	$(PY) -m ruff check .
	@echo "==> types"
	$(PY) -m mypy
	@echo "==> imports between packages"
	$(PY) -m pytest tests/test_package_imports.py tests/test_circles.py

docs: $(DEV) ## regenerate the generated pages and schemas
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

tools: $(DEV) ## build the pinned real programs that tests compare gpuspec with, into a cache folder
	@echo "==> real programs, pinned in tests/tools/go.mod"
	tests/tools/install "$(CURDIR)/$(VENV)/bin/kubectl"

bench: tools ## compare the speed with Helm, other linters and a bare interpreter; writes build/bench.json
	@echo "==> benchmarks (a few minutes)"
	$(PY) -m benchmarks.run $(if $(CORPUS),"$(CORPUS)")

openb: $(RUNTIME) ## replay the public trace, DATA=<its folder>; writes build/openb.json
	@echo "==> six policies, seventeen workloads, ten seeds (some fifteen minutes of one core)" >&2
	@$(PY) -m benchmarks.openb $(if $(DATA),"$(DATA)")

openb-ties: $(RUNTIME) ## replay the public trace with ties broken at random, as kube-scheduler does
	@echo "==> seven methods, seventeen workloads (some fifteen minutes of one core)" >&2
	@$(PY) -m benchmarks.openb.ties $(if $(DATA),"$(DATA)")

openb-ablation: $(RUNTIME) ## measure the cost of one shape of pod on that fleet
	@echo "==> forty mixes, four methods (some ten minutes of one core)" >&2
	@$(PY) -m benchmarks.openb.ablation $(if $(DATA),"$(DATA)")

openb-page: $(RUNTIME) ## regenerate the tables of docs/fragmentation.md from the results of these three
	$(PY) -m benchmarks.openb.page

control-plane-tools: ## build the programs of a real control plane, MINOR=1.x, into a cache folder
	@echo "==> control plane $(MINOR), pinned in tests/control_plane/*/go.mod"
	tests/control_plane/install $(MINOR)

control-plane: $(DEV) control-plane-tools ## run a control plane on loopback until interrupted; prints a kubeconfig
	@$(PY) -m tests.control_plane --minor $(MINOR) $(if $(PROFILE),--profile $(PROFILE))

control-plane-test: $(DEV) control-plane-tools ## run the tests against a real API server, scheduler and queue
	tests/refusals/install
	@echo "==> tests against a real control plane $(MINOR)"
	GPUSPEC_MINOR=$(MINOR) $(if $(STORIES),,GPUSPEC_RESULTS=build/control-plane-$(MINOR).json) \
	    $(PY) -m pytest -rs -o cache_dir=build/pytest-$(MINOR) $(STORIES) \
	    tests/control_plane tests/refusals/test_server.py

hosts-test: tools ## run one story for each host, with its real program if there is one; as root also in containers
	@echo "==> hosts, pinned in tests/hosts/tools"
	tests/hosts/tools/install
	$(PY) -m pytest -rs tests/hosts

argocd-tools: ## build Argo CD's repo server and plugin server, which test the plugin (half an hour on two cores)
	@echo "==> Argo CD, pinned in tests/hosts/tools/argo-cd"
	tests/hosts/tools/install argo-cd

outside-test: $(DEV) ## test against external definitions and a public trace, OUTSIDE=their folder
	@echo "==> tests against external data"
ifeq ($(and $(OUTSIDE),$(wildcard $(OUTSIDE)/*)),)
	@echo "not run: no data; OUTSIDE=FOLDER names a folder with crds/ and data/openb/ (tests/outside.py)"
else
	GPUSPEC_OUTSIDE="$(abspath $(OUTSIDE))" $(PY) -m pytest -rs -m outside
endif

agreement: $(DEV) control-plane-tools ## compare thousands of pods with the real scheduler's answers (minutes); writes build/
	@echo "==> filters and messages, compared with kube-scheduler $(MINOR)"
	$(PY) -m tests.control_plane.agreement --minor $(MINOR)
	$(PY) -m tests.control_plane.claims_agreement --minor $(MINOR)

fuzz: $(DEV) ## run every command on malformed inputs, SEED=1 TRIES=20000; writes build/fuzz.json
	@echo "==> $(TRIES) tries, seed $(SEED)"
	@$(PY) -m tests.fuzz --seed $(SEED) --tries $(TRIES) --write

refusals: TRIES = 200000
refusals: $(DEV) refusals-tools ## compare the linter with the server's refusals, SEED=1 TRIES=200000; writes build/refusals-SEED.json
	@echo "==> $(TRIES) mutants, seed $(SEED): the linter compared with a server"
	@$(PY) -m tests.refusals.contest --seed $(SEED) --tries $(TRIES) --write
	@echo "==> the objects that Kubernetes' own tests validate"
	@$(PY) -m tests.refusals.contest --tested --write
	@echo "==> the linter compared with operators"
	@$(PY) -m tests.refusals.operators.contest --seed $(SEED) --write

refusals-tools: ## build the validation code of the API server and of the operators, and run Kubernetes' tests
	@echo "==> the API server's validation, pinned in tests/control_plane/*/go.mod"
	tests/refusals/install
	@echo "==> the objects of Kubernetes' own validation tests"
	tests/refusals/record
	@echo "==> the operators' validation, pinned in tests/refusals/operators/operator-judge/modules"
	tests/refusals/operators/install

clean: ## remove the virtual environment and all build results; the cache of programs stays
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# If the interpreter is missing, the virtual environment is created again.
$(PY):
	@echo "==> virtual environment in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "$(PYTHON) is not Python 3.11 or newer; pass a newer one: make PYTHON=python3.12 ..." >&2; \
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
