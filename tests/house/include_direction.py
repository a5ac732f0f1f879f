"""Fails when a part includes what it must not reach: the arrows of docs/ARCHITECTURE.md.

usage: include_direction.py SOURCE_ROOT
"""
import pathlib
import re
import sys

# A folder of ours -> what its files may include of ours. The longest matching folder decides.
ALLOWED = {
    "include/isotap/base": ["isotap/base"],
    "include/isotap/history": ["isotap/base", "isotap/history"],
    "include/isotap/protocol": ["isotap/base", "isotap/history", "isotap/protocol"],
    "include/isotap/analysis": ["isotap/base", "isotap/history", "isotap/analysis"],
    "include/isotap/proxy": ["isotap"],
    "protocol/ledger": ["isotap/base", "isotap/protocol", "protocol/ledger"],
    "protocol/sql": ["isotap/base", "isotap/history", "isotap/protocol", "protocol/sql"],
    "protocol": ["isotap/base", "isotap/history", "isotap/protocol", "protocol"],
    "protocol/postgres": ["isotap/base", "isotap/history", "isotap/protocol", "protocol/ledger",
                          "protocol/sql", "protocol/postgres"],
    "protocol/mysql": ["isotap/base", "isotap/history", "isotap/protocol", "protocol/ledger",
                       "protocol/sql", "protocol/mysql"],
    "analysis": ["isotap/base", "isotap/history", "isotap/analysis", "analysis"],
    "analysis/workload": ["isotap/base", "isotap/history", "isotap/analysis", "analysis/workload"],
    "proxy": ["isotap", "protocol", "proxy", "analysis"],
    "proxy/workload": ["isotap", "analysis/report", "analysis/workload", "protocol",
                       "proxy/catalog", "proxy/ops", "proxy/relay", "proxy/tap", "proxy/workload"],
    "tests": ["isotap", "protocol", "proxy", "analysis", "tests"],
}

# What does I/O, keeps threads or writes logs stays out of the sans-I/O parts.
BANNED_IN_CORE = re.compile(
    r"boost/asio|boost/beast|spdlog|openssl|libpq|mysql\.h|sys/socket|<thread>|<mutex>|prometheus")
# The arithmetic of hashes is no I/O, and nobody should write his own.
EXCEPT = {"protocol/postgres/scram_crypto.cpp": re.compile(r"openssl/(crypto|evp|hmac)\.h")}
CORE = ("include/isotap/base", "include/isotap/history", "include/isotap/protocol", "protocol/")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)


def allowed_for(path):
    folders = [f for f in ALLOWED if path.startswith(f + "/")]
    return ALLOWED[max(folders, key=len)] if folders else None


def main(root):
    root = pathlib.Path(root)
    wrong = []
    seen = 0
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if file.suffix not in (".hpp", ".cpp", ".h") or path.startswith(("build/", ".")):
            continue
        may = allowed_for(path)
        if may is None:
            wrong.append(f"{path}: stands in no known part")
            continue
        seen += 1
        for quote, target in INCLUDE.findall(file.read_text()):
            if quote == '"' and not any(target.startswith(m + "/") for m in may):
                wrong.append(f"{path}: may not include {target}")
            excepted = path in EXCEPT and EXCEPT[path].fullmatch(target)
            if path.startswith(CORE) and BANNED_IN_CORE.search(target) and not excepted:
                wrong.append(f"{path}: {target} has no place in the sans-I/O core")
    for line in wrong:
        print(line)
    print(f"{seen} files, {len(wrong)} wrong")
    return 1 if wrong or seen == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
