# The two commands of the README, and the steps they are made of.
.PHONY: run test build package setup serve fmt bench

run: ## build what is needed and open the window on the sample repository
	@build/setup.sh run
	@build/build.sh
	@build/run.sh

test: ## all checks and tests, as CI runs them
	@build/setup.sh test
	@build/build.sh
	@build/test.sh

build: ## build build/bin/redgreen
	@build/setup.sh run
	@build/build.sh

package: build ## a .deb and a tarball in build/bin
	@build/package.sh

serve: build ## the window in a browser
	@build/bin/redgreen serve

bench: ## measure against peers, see build/bench/run.sh
	@build/bench/run.sh

fmt:
	gofmt -w main.go app backend
