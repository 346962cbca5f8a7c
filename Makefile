# Each target makes the environment it needs; a stamp file tells what is already in it.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
# Labelled photographs: those that are named, those beside the checkout, or those that make data has fetched.
DATA ?= $(firstword $(SETML_DATA) $(wildcard ../shared/data) $(wildcard data/downloads))
TABLES := $(wildcard $(DATA)/tables/labels.json)

.PHONY: help demo test data train train-extractor eval bench load serve pictures lint format samples clean

help:  ## say what each target does
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/:/' | column -t -s:

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# What solving needs and no more.
$(VENV)/.solve: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $(VENV)/.solve $@

demo: $(VENV)/.solve  ## solve a sample table and write demo.jpg
	$(BIN)/setml solve data/samples/wood.jpg -o demo.jpg --overwrite

test: lint  ## lint, type-check and run all tests
	$(BIN)/python -m pytest

lint: $(VENV)/.dev  ## the checks of style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/.dev  ## put the code into its form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

data: $(VENV)/.dev  ## download the crops that may be learned from, or verify a copy that SETML_DATA names
	$(BIN)/setml data fetch

train: $(VENV)/.dev  ## train all models from labelled crops, or from drawn ones where there are none; QUICK=1 for a trial
	$(BIN)/setml train $(if $(DATA),--from $(DATA)) $(if $(QUICK),--quick --output runs/quick/models --work runs/quick)

train-extractor: $(VENV)/.dev  ## train the net that finds cards; QUICK=1 for a trial
	$(BIN)/setml train-extractor $(if $(DATA),--from $(DATA)) $(if $(QUICK),--quick --output runs/quick/models --work runs/quick)

eval: $(VENV)/.dev  ## compare all methods on the labelled photographs, or on the samples where there are none; QUICK=1 for a fifth
	$(BIN)/setml eval $(if $(TABLES),$(DATA),data/samples) --output reports \
		$(if $(QUICK),--quick,$(if $(TABLES),--leaderboard models/LEADERBOARD.md))

bench: $(VENV)/.dev  ## time solving against only reading the same photo
	$(BIN)/python -m setml.evaluation.speed --output reports/bench.md $(if $(TABLES),--photos $(DATA)/tables)

load: $(VENV)/.dev  ## let 32 clients at the server for a minute
	$(BIN)/python -m setml.evaluation.load --output reports/load.md

serve: $(VENV)/.dev  ## the page for the phone, at http://127.0.0.1:8000
	$(BIN)/setml serve

pictures: $(VENV)/.dev  ## draw the pictures of the README again; needs chromium
	$(BIN)/python -m tests.pictures

samples: $(VENV)/.solve  ## draw data/samples again
	$(BIN)/setml data draw data/samples --samples --overwrite

clean:  ## remove environments, caches and reports
	rm -rf .venv* reports runs demo.jpg .pytest_cache .mypy_cache .ruff_cache .hypothesis
