# Each target makes the environment it needs; a stamp file tells what is already in it.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
DATA ?= $(if $(SETML_DATA),$(SETML_DATA),../shared/data)

.PHONY: help demo test eval bench lint format samples clean

help:  ## say what each target does
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/:/' | column -t -s:

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

eval: $(VENV)/.dev  ## compare all methods on the labelled photographs, or on the samples where there are none
	$(BIN)/setml eval $(if $(wildcard $(DATA)/tables/labels.json),$(DATA)/tables,data/samples) --output reports

bench: $(VENV)/.dev  ## time solving against only reading the same photo
	$(BIN)/python -m setml.evaluation.speed

samples: $(VENV)/.solve  ## draw data/samples again
	$(BIN)/setml data draw data/samples --samples --overwrite

clean:  ## remove environments, caches and reports
	rm -rf .venv* reports demo.jpg .pytest_cache .mypy_cache .ruff_cache .hypothesis
