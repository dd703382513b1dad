# approvald needs Go and, for the race detector, a C compiler. `make help` lists what there is.
#
# A change is ready when `make check` passes. .ci/run does the same and checks besides that
# the scenarios replay, that the generated documents are current and that `make run` serves.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-print-directory

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

# Tools have a module of their own, so that the linter's dependencies never choose the
# versions that approvald ships. The first run compiles the linter: about a minute.
LINTER := go tool -modfile=tools/go.mod golangci-lint

# The race detector needs cgo on Linux. Without a C compiler the tests run without it.
RACE := $(shell command -v $$(go env CC) >/dev/null && echo -race)

# What the long targets may spend: `make fuzz FUZZTIME=10m`, `make crash ROUNDS=5000`.
FUZZTIME ?= 10s
ROUNDS   ?= 200

# Flags added to every `go test` of `make test`: `make test TESTFLAGS='-run Decide'`.
TESTFLAGS ?=

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' Makefile

.PHONY: build
build: ## build approvald and its two other programs into bin, static, which also starts faster
	@CGO_ENABLED=0 go build -ldflags '-X main.version=$(VERSION)' -o bin/approvald ./cmd/approvald
	@CGO_ENABLED=0 go build -o bin/approvald-inbox ./cmd/approvald-inbox
	@CGO_ENABLED=0 go build -ldflags '-X main.version=$(VERSION)' -o bin/approvald-hook ./cmd/approvald-hook

# The daemon prints its sockets and what to type next.
.PHONY: run
run: build ## build and serve; Ctrl-C stops it
	@exec bin/approvald serve

# Every test there is, those of the TypeScript client included where node is. -count=1: tests
# start the real binary, whose sources the test cache does not see. The closing lines name
# each skipped test with its reason.
.PHONY: test
test: ## run every test, with the race detector
	@$(if $(RACE),,echo 'no C compiler ('$$(go env CC)'): the race detector is off' >&2;) \
	{ go -C tools test -count=1 -json $(TESTFLAGS) ./...; \
	  go test $(RACE) -count=1 -timeout=10m -json $(TESTFLAGS) ./...; } | go -C tools run ./testsum

# What a person has to look at. That of the terminal is held by a test; those of the
# browser need what tests/browser/install puts there.
.PHONY: pictures
pictures: ## take the pictures of both inboxes that the README shows
	@go test -count=1 -run='^TestThePictureOfTheReadmeIsCurrent$$' ./internal/inbox/screen -update
	@APPROVALD_PICTURES=$(CURDIR)/docs/images go test -count=1 -run='^TestTheWebInboxInABrowser$$' ./tests/browser

.PHONY: check
check: fmt vet lint test ## what a change must pass: fmt vet lint test

.PHONY: fmt
fmt: ## format the code and group its imports
	@$(LINTER) fmt
	@go -C tools tool golangci-lint fmt --config=../.golangci.yaml

.PHONY: vet
vet: darwin ## vet for this system and for both kinds of Mac
	@go vet ./...
	@go -C tools vet ./...

# Files for one system only are where a break goes unseen: vet compiles the tests as well.
.PHONY: darwin
darwin: ## compile and vet for macOS
	@GOOS=darwin GOARCH=arm64 go vet ./...
	@GOOS=darwin GOARCH=amd64 go vet ./...

.PHONY: lint
lint: ## run the linters of .golangci.yaml
	@$(LINTER) config verify
	@$(LINTER) run
	@go -C tools tool golangci-lint run --config=../.golangci.yaml

# Scenarios also run in `make test`; this is the way a user of the binary runs them.
.PHONY: scenarios
scenarios: ## replay testdata/scenarios byte for byte
	@go run ./cmd/approvald replay testdata/scenarios/*.ndjson

# The cases also run in `make test`; this prints what became of them, by kind.
.PHONY: corpus
corpus: ## run the policy cases of testdata/corpus through the wire
	@go run ./cmd/approvald policy test testdata/corpus/*.jsonl

.PHONY: docs
docs: ## generate what is generated under docs/, schema/ and clients/ts
	@go generate ./...

# The ratios are judged by a person: no test depends on a time.
.PHONY: bench
bench: ## measure against the yardsticks and print ratios beside their targets
	@go run ./tests/bench

# In a browser, so it needs what tests/browser/install puts there.
.PHONY: render
render: build ## measure the first render of the web inbox with 1,000 waiting beside static pages
	@cd tests/browser && APPROVALD=$(CURDIR)/bin/approvald node render.mjs

# Three to four rounds a second. The run ends with its counts.
.PHONY: crash
crash: ## kill the daemon at random moments in ROUNDS rounds, and print what was held against what
	@APPROVALD_CRASH_ROUNDS=$(ROUNDS) go test -count=1 -timeout=0 -v -run='^TestCrashes$$' ./tests/crash

.PHONY: reconnects
reconnects: ## hang up on the daemon and come back 10,000 times, and compare with one who stayed
	@APPROVALD_RECONNECTS=10000 go test -count=1 -v -run='^TestWhoReconnectsSeesWhatWhoStaysSees$$' ./internal/rpc

# They also run in `make test`; this prints each by its name.
.PHONY: tolerance
tolerance: ## hold what is promised to clients and servers that nobody here wrote, and print it
	@go test -count=1 -v ./tests/tolerance | grep -v '^=== '

# go test fuzzes one target of one package at a time, hence the loop.
.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME
	@grep -rHoE --include='*_test.go' '^func Fuzz\w+' . | sed 's/:func / /' | sort | \
	while read -r file target; do \
		echo "$$target ($$(dirname "$$file"))"; \
		go test -run='^$$' -fuzz="^$$target\$$" -fuzztime=$(FUZZTIME) "./$$(dirname "$$file")"; \
	done

.PHONY: clean
clean: ## remove what was built
	@rm -rf bin
	@go clean -fuzzcache
