# The two commands: `make run` and `make test`. Both install what is missing, configure, build and run.
# For hours, before a release: `make fuzz`, `make soak`, `make walk`.
# To keep: `make install` (PREFIX, DESTDIR), `make uninstall`, `make package` (ARCHITECTURES); see docs/install.md.
#   make run ARGS="clip.mp4 --strategy constant --filter gaussian:radius=4"
JOBS ?= $(shell nproc)
# Many tests wait for a window or a clock.
TEST_JOBS ?= $(shell echo $$((($(JOBS) * 3 + 1) / 2)))
ARGS ?=
PREFIX ?= /usr/local
empty :=
space := $(empty) $(empty)

.PHONY: run test tsan fuzz soak walk release install uninstall package packages clean
run: release
	build/release/convoscope $(ARGS)

test: packages
	cmake --preset ci
	cmake --build --preset ci -j $(JOBS)
	ctest --preset ci -j $(TEST_JOBS)

# What the threads of the player, the recorder, the checker, the sweep and the compiler do to one another. The emulator
# switches stacks by itself, which ThreadSanitizer cannot follow.
TSAN_PARTS = media measure app jit jit_ending kernels
tsan: packages
	cmake --preset tsan
	cmake --build --preset tsan -j $(JOBS) --target $(TSAN_PARTS:%=convoscope_%_tests)
	TSAN_OPTIONS=halt_on_error=1 ctest --test-dir build/tsan -j $(JOBS) --output-on-failure -E emulated \
	  -R '^(Playback|Stuck|Files/|Recorder|BadInput|Clock|PaneCheck|Sweep|Health|ThreadPool|Background|nvrtc_|Jit|(Cpu|Kinds)/Auto)'

# For as long as SECONDS says: each way in with input that nobody has thought of, another every time, under the
# sanitizers. What ends it lies in build/ci/found and belongs into tests/fuzz/corpus with the mended fault.
FUZZ_TARGETS ?= media y4m playlist filter arguments settings session png sweep cache cubin
fuzz: SECONDS ?= 600
fuzz: packages
	cmake --preset ci
	cmake --build --preset ci -j $(JOBS) --target convoscope_fuzz
	for target in $(FUZZ_TARGETS); do build/ci/convoscope_fuzz $$target --seconds $(SECONDS) --seed $$(date +%s) \
	  --corpus tests/fuzz/corpus/$$target --keep build/ci/found || exit 1; done

# An impatient person at the real window: memory, threads and files are told every minute and may not grow.
soak: SECONDS ?= 1800
soak: SEED ?= 1
soak: release
	/usr/bin/python3 tests/app/monkey.py build/release/convoscope --seconds $(SECONDS) --seed $(SEED) --report 60 \
	  --growth 150 --more-threads 12 --more-files 12

# Every control in every look, with real X events.
walk: release
	for look in "" "--backend emulated" "--size 640x480" "--size 2560x1440" "--keys t" "--keys F12"; do \
	  echo "walk $$look"; /usr/bin/python3 tests/app/walk_test.py build/release/convoscope $$look --strict || exit 1; done

release: packages
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

# What `make run` runs, for everybody here. DESTDIR is put before every path, as packagers want it.
install: release
	cmake --install build/release --prefix "$(PREFIX)" --strip
	@$(REFRESH_MENU)

INSTALLED = build/release/install_manifest.txt
uninstall:
	@test -f $(INSTALLED) || { echo "Nothing has been installed from here: there is no $(INSTALLED)." >&2; exit 1; }
	xargs -a $(INSTALLED) -d '\n' -I{} rm -fv -- "$(DESTDIR){}"
	rm -f $(INSTALLED)
	@$(REFRESH_MENU)

# What kinds of files the desktop offers the program for, where that is kept in a table.
REFRESH_MENU = test -n "$(DESTDIR)" || ! command -v update-desktop-database >/dev/null || \
  update-desktop-database -q "$(PREFIX)/share/applications" || true

# A .deb and a .tar.gz in build/package. ARCHITECTURES="80 90" builds for these alone, which is sooner done.
package: packages
	cmake --preset package $(if $(ARCHITECTURES),-DCMAKE_CUDA_ARCHITECTURES="$(subst $(space),;,$(strip $(ARCHITECTURES)))")
	cmake --build --preset package -j $(JOBS)
	cd build/package && rm -f *.deb *.tar.gz && cpack

packages:
	@third_party/install_packages.sh

clean:
	rm -rf build
