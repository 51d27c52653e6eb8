#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of include_rules.py is broken once in a small tree of its own; each breach must be named."""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
CASES = {
    "supervisor/a.cpp": (LICENCE + '#include "worker/profiler.h"\n', 'supervisor may not include "worker/profiler.h"'),
    "common/b.cpp": (LICENCE + '#include "supervisor/options.h"\n', 'common may not include "supervisor/options.h"'),
    "worker/export/c.cpp": (LICENCE + '#include "worker/sampling/sample.h"\n', "worker/export may not include"),
    "worker/elf/d.cpp": (LICENCE + "#include <bpf/libbpf.h>\n", "only worker/kernel uses libbpf"),
    "worker/elf/e.cpp": (LICENCE + "void f(int fd) { ::close(fd); }\n", "released by its owner"),
    "common/f.cpp": ("int g;\n", "names the licence"),
    "common/g.h": (LICENCE, "#pragma once"),
}
CLEAN = {"worker/kernel/ok.cpp": LICENCE + '#include <bpf/libbpf.h>\n#include "common/error.h"\n#include "bpf/records.h"\n'}


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**{name: case[0] for name, case in CASES.items()}, **CLEAN,
                           "tests/conventions/allowed_includes.txt": (HERE / "allowed_includes.txt").read_text()}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        run = subprocess.run([sys.executable, HERE / "include_rules.py", root], capture_output=True, text=True)
        failures = [f"{name}: '{expected}' was not reported" for name, (_, expected) in CASES.items()
                    if not any(line.startswith(name + ":") and expected in line for line in run.stdout.splitlines())]
        failures += [f"{name} was reported" for name in CLEAN if name in run.stdout]
        if run.returncode != 1:
            failures.append(f"exit code {run.returncode}")
        print("\n".join(failures) or "every breach was reported")
        return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
