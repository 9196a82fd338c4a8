"""Copies the vectors of dataset validation without the cases that hold data or schemas which other projects publish.

    python3 make/unreal.py FROM TO

FROM is what validation.py made. Every file of cases and every file that a case names is written compressed, as gzip -n -9
does, but inputs, which are compressed already.
"""
import gzip, json, os, shutil, sys

source, target = sys.argv[1:3]


def write(name, data):
    path = os.path.join(target, name + ".gz")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f, gzip.GzipFile(filename="", mode="wb", fileobj=f, compresslevel=9, mtime=0) as z:
        z.write(data)


def keep(name):
    """Copies a file that a case names."""
    if name.endswith(".gz"):
        os.makedirs(os.path.dirname(os.path.join(target, name)), exist_ok=True)
        shutil.copyfile(os.path.join(source, name), os.path.join(target, name))
    else:
        write(name, open(os.path.join(source, name), "rb").read())


for file in sorted(os.listdir(source)):
    if not file.endswith(".jsonl"):
        continue
    header, *cases = [json.loads(line) for line in open(os.path.join(source, file), encoding="utf-8")]
    cases = [c for c in cases if "real" not in c["tags"] and '"real/' not in json.dumps(c)]
    header["cases"] = len(cases)
    write(file, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in [header] + cases).encode())
    for c in cases:
        for name in c.get("input", {}).get("files", []) + [v for k, v in c.get("expect", {}).items() if k.endswith("_file")]:
            keep(name)
