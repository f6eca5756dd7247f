# The two commands: `make run` and `make test`. Both install what is missing, configure, build and run. `make test-all`
# takes twice as long.
# For hours, before a release: `make fuzz`, `make soak`, `make walk`; for a quarter of one `make headers`. How fast whole
# files are: `make speed`.
# To keep: `make install` (PREFIX, DESTDIR), `make uninstall`, `make package` (ARCHITECTURES); see docs/install.md.
#   make run ARGS="clip.mp4 --strategy constant --filter gaussian:radius=4"
JOBS ?= $(shell nproc)
# Many tests wait for a window or a clock. Those that ask how soon something is answered run alone.
TEST_JOBS ?= $(shell echo $$(($(JOBS) * 2)))
ARGS ?=
PREFIX ?= /usr/local
empty :=
space := $(empty) $(empty)

.PHONY: run test test-all built-tests tsan fuzz soak walk headers speed release install uninstall package packages clean
run: release
	build/release/convoscope $(ARGS)

# What a change is tried with, in less than 20 minutes from nothing on two cores: all but those with the label "long". They
# play with the window for minutes, look at everything in every state, or take a processor ten seconds for what a shorter
# one also looks at. `make test-all`, which checks every change that is handed in, has these as well.
test: built-tests
	@echo "Without the tests that take longest, which \`make test-all\` also runs:"
	ctest --preset ci -j $(TEST_JOBS) -LE long

test-all: built-tests
	ctest --preset ci -j $(TEST_JOBS)

built-tests: packages
	cmake --preset ci
	cmake --build --preset ci -j $(JOBS)

# What threads do to one another: those of the player, the recorder, the checker, the sweep and the compiler, and whatever
# else has some (tests/house says what is missing here). The emulator switches stacks by itself, which ThreadSanitizer
# cannot follow. FFmpeg is not instrumented, so that nothing of ours can make its encoder late (SlowEncoder).
TSAN_TESTS = Network Playback PlayerClock Reading Hearing SoundRing Stuck Files/ Recorder WholeRun EmptyRecording Png BadInput Clock PaneCheck PaneSet PaneRunner PaneType JobThread DiskReader Heap \
  FilterStep Pause Learner Keeper Sweep Health ThreadPool Background Libraries nvrtc_ Jit Backends/(SlowPanes|PaneTime|PaneView|NetworkPane|Compute) \
  (Cpu|Kinds)/Auto StopSignal ExitDeadline
TSAN_PARTS = media measure app state jit jit_ending kernels compute
tsan: packages
	cmake --preset tsan
	cmake --build --preset tsan -j $(JOBS) --target $(TSAN_PARTS:%=convoscope_%_tests)
	TSAN_OPTIONS="halt_on_error=1" ctest --test-dir build/tsan -j $(JOBS) --output-on-failure -E 'emulated|SlowEncoder' \
	  -R '$(subst $(space),|,^($(TSAN_TESTS)))'

# For as long as SECONDS says: each way in with input that nobody has thought of, another every time, under the
# sanitizers. What ends it lies in build/ci/found and belongs into tests/fuzz/corpus with the mended fault.
FUZZ_TARGETS ?= media still y4m playlist filter arguments lesson answers experiment npy npz safetensors settings session \
                 png recording sweep cache cubin
fuzz: SECONDS ?= 600
fuzz: packages
	cmake --preset ci
	cmake --build --preset ci -j $(JOBS) --target convoscope_fuzz
	for target in $(FUZZ_TARGETS); do build/ci/convoscope_fuzz $$target --seconds $(SECONDS) --seed $$(date +%s) \
	  --corpus tests/fuzz/corpus/$$target --keep build/ci/found || exit 1; done

# An impatient person at the real window: from the second third of the time to the last, the medians of memory (MB), threads
# and open files may grow by so much. These lie ten minutes apart in half an hour: 8 MB a minute are found. On a GPU:
# make soak ARGS="--backend cuda --display :0".
soak: SECONDS ?= 1800
soak: SEED ?= 1
soak: release
	/usr/bin/python3 tests/window/monkey.py build/release/convoscope --seconds $(SECONDS) --seed $(SEED) --report 10 \
	  --growth 80 --more-threads 0 --more-files 5 --all-first $(ARGS)

# Every control in every look, with real X events.
walk: release
	for look in "" "--backend emulated" "--size 640x480" "--size 2560x1440" "--keys t" "--keys F12"; do \
	  echo "walk $$look"; /usr/bin/python3 tests/window/walk_test.py build/release/convoscope $$look --strict || exit 1; done

# Whole files on the CPU and on the GPU, next to ffmpeg: fails where the GPU is the slower one for 1,000 frames. Without a GPU it
# says so and shows the rest. ARGS="--size 3840x2160 --encode" for more.
speed: release
	/usr/bin/python3 bench/whole_files.py build/release/convoscope $(ARGS)

release: packages
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

# What `make run` runs, for everybody here. DESTDIR is put before every path, as packagers want it. Which folders were not
# there before is kept beside the list of files, for uninstall.
BUILD = build/release
INSTALLED = $(BUILD)/install_manifest.txt
NEW_FOLDERS = $(BUILD)/install_folders.txt
FOLDERS_THERE = find "$(DESTDIR)$(PREFIX)" -maxdepth 6 -type d 2>/dev/null | sort
REFRESH_DESKTOP = test -n "$(DESTDIR)" || \
  third_party/refresh_desktop.sh "$$(sed -n 's|/applications/convoscope.desktop$$||p' $(INSTALLED))"
install: release
	@$(FOLDERS_THERE) > $(BUILD)/folders_before.txt
	cmake --install $(BUILD) --prefix "$(PREFIX)" --strip
	@$(REFRESH_DESKTOP)
	@$(FOLDERS_THERE) | comm -13 $(BUILD)/folders_before.txt - >> $(NEW_FOLDERS)
	@rm $(BUILD)/folders_before.txt

uninstall:
	@test -f $(INSTALLED) || { echo "Nothing has been installed from here: there is no $(INSTALLED)." >&2; exit 1; }
	xargs -a $(INSTALLED) -d '\n' -I{} rm -fv -- "$(DESTDIR){}"
	@$(REFRESH_DESKTOP)
	@test ! -f $(NEW_FOLDERS) || sort -ru $(NEW_FOLDERS) | xargs -rd '\n' rmdir --ignore-fail-on-non-empty -- 2>/dev/null || true
	rm -f $(INSTALLED) $(NEW_FOLDERS)

# A .deb and a .tar.gz in build/package. ARCHITECTURES="80 90" builds for these alone, which is sooner done.
package: packages
	cmake --preset package $(if $(ARCHITECTURES),-DCMAKE_CUDA_ARCHITECTURES="$(subst $(space),;,$(strip $(ARCHITECTURES)))")
	cmake --build --preset package -j $(JOBS)
	cd build/package && rm -f *.deb *.tar.gz && cpack

# Each header by itself, a room at a time: where several files are compiled as one, those before it hide what it forgets.
headers: packages
	cmake --preset ci
	@for room in $$(find kernels app -name '*.h' -printf '%h\n' | sort -u); do \
	  python3 tests/house/includes_test.py build/ci $$room/. || exit 1; done

packages:
	@third_party/install_packages.sh

clean:
	rm -rf build
