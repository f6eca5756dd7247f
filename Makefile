# The two commands: `make run` and `make test`. Both install what is missing, configure, build and run.
#   make run ARGS="clip.mp4 --strategy constant --filter gaussian:radius=4"
JOBS ?= $(shell nproc)
ARGS ?=

.PHONY: run test release packages clean
run: release
	build/release/convoscope $(ARGS)

test: packages
	cmake --preset ci
	cmake --build --preset ci -j $(JOBS)
	ctest --preset ci -j $(JOBS)

release: packages
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

packages:
	@third_party/install_packages.sh

clean:
	rm -rf build
