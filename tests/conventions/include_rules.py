#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every include of ours against allowed_includes.txt, and a few rules of the house that a compiler cannot.

usage: include_rules.py ROOT
Prints each breach as FILE:LINE: RULE; exits 1 if there is one.
"""
import pathlib
import re
import sys

SOURCES = {".h", ".cpp", ".c"}
# Calls that belong to an owner of a handle and to nobody else.
RAW_RELEASES = re.compile(r"(?<![\w.>])(?:::close|bpf_link__destroy|bpf_object__close|ring_buffer__free)\(")
OWNERS = {"common/unique_handle.h", "worker/kernel/bpf_handle.h"}
# Between clone3 and exec there are plain system calls only.
RAW_CLOSE_ALLOWED = {"common/child_process.cpp"}


def read_rules(path):
    rules = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            folder, _, allowed = line.partition(":")
            rules[folder.strip()] = allowed.split()
    return rules


def folder_of(name, rules):
    """The longest folder with a rule that holds the file."""
    fitting = [folder for folder in rules if name.startswith(folder + "/")]
    return max(fitting, key=len, default=None)


def is_allowed(included, folder, rules):
    entries = [folder, *rules[folder]]
    return any(included == entry or included.startswith(entry + "/") for entry in entries)


def breaches(root, rules):
    for folder in ("common", "bpf", "supervisor", "worker", "tests"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            name = str(path.relative_to(root))
            home = folder_of(name, rules)
            for number, line in enumerate(path.read_text().splitlines(), 1):
                include = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
                if include:
                    kind, included = include.groups()
                    if kind == '"' and not is_allowed(included, home, rules):
                        yield name, number, f'{home} may not include "{included}"'
                    if kind == "<" and included.startswith("bpf/") and not name.startswith(("bpf/", "worker/kernel/", "tests/")):
                        yield name, number, f"only worker/kernel uses libbpf (<{included}>)"
                if RAW_RELEASES.search(line) and not name.startswith("tests/") and name not in OWNERS | RAW_CLOSE_ALLOWED:
                    yield name, number, "a handle is released by its owner only (common/unique_handle.h)"
            lines = path.read_text().splitlines()
            if "SPDX-License-Identifier:" not in (lines[0] if lines else ""):
                yield name, 1, "the first line names the licence"
            if path.suffix == ".h" and "#pragma once" not in lines:
                yield name, 1, "a header begins with #pragma once"


def main():
    root = pathlib.Path(sys.argv[1])
    rules = read_rules(root / "tests/conventions/allowed_includes.txt")
    found = list(breaches(root, rules))
    for name, number, rule in found:
        print(f"{name}:{number}: {rule}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
