"""Makes ../csv.jsonl.gz: what TensorFlow Data Validation reads from CSV.

    TF_CPP_MIN_LOG_LEVEL=3 python csv_cases.py ../csv.jsonl.gz      (TFDV 1.16.1; about ten minutes)

A case has the files and the options, and expects the columns, their types and their values row by row, as tfx_bsl decodes
them for tfdv.generate_statistics_from_csv, or the error. Most cases have the statistics too. A value is a list, null where
the cell is missing: numbers, the bits of float32 for a FLOAT column, base64 for a STRING column. Random cases follow --seed, 1 if absent.
(The file is not called csv.py, which Python would import in place of its own module.)
"""
import argparse
import base64
import glob
import gzip
import json
import os
import random
import tempfile

import apache_beam as beam
import numpy as np
import tensorflow_data_validation as tfdv
from apache_beam.io.filesystem import CompressionTypes
from tensorflow_data_validation.coders import csv_decoder
from tensorflow_data_validation.utils import stats_gen_lib
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.coders.csv_decoder import ColumnTypeInferrer, ParseCSVLine

OUT = []
TYPES = {"INT": schema_pb2.INT, "FLOAT": schema_pb2.FLOAT, "BYTES": schema_pb2.BYTES}
ALL = 10**6  # rows in a batch: all


def reason(e):
    """The message of what failed inside of a pipeline."""
    return str(e).split(" [while running")[0].split("\n")[0][:200]


def columns_of(batch):
    out = {}
    for name, array in zip(batch.schema.names, batch.columns):
        kind = str(array.type)
        rows = array.to_pylist()
        if "float" in kind:
            rows = [r if r is None else np.array(r, np.float32).view(np.uint32).tolist() for r in rows]
        elif "binary" in kind:
            rows = [r if r is None else [base64.b64encode(v).decode() for v in r] for r in rows]
        out.setdefault("columns", []).append({"name": name, "type": {"null": "UNKNOWN"}.get(kind) or ("INT" if "int64" in kind else "FLOAT" if "float" in kind else "STRING"), "values": rows})
    return out


def run(folder, o, statistics):
    pattern = os.path.join(folder, "in-*")
    names = o.get("column_names")
    skip = 0 if names else 1
    delimiter = o.get("delimiter", ",")
    if not names:
        names = stats_gen_lib.get_csv_header(pattern, delimiter)
    schema = None
    if "schema" in o:
        schema = schema_pb2.Schema(feature=[schema_pb2.Feature(name=n, type=TYPES[t]) for n, t in o["schema"].items()])
    multivalent = {k: o[k] for k in ("multivalent_columns", "secondary_delimiter") if k in o}

    def rows(p):
        return (p | beam.io.textio.ReadFromText(pattern, skip_header_lines=skip, compression_type=CompressionTypes.AUTO)
                | csv_decoder.DecodeCSV(column_names=names, delimiter=delimiter, schema=schema, desired_batch_size=ALL, **multivalent))
    with beam.Pipeline() as p:
        _ = rows(p) | beam.Map(lambda b: json.dumps(columns_of(b))) | beam.io.WriteToText(os.path.join(folder, "out"), num_shards=1)
    text = "".join(open(f).read() for f in glob.glob(os.path.join(folder, "out-*")))
    got = json.loads(text) if text else {"columns": [{"name": n, "type": "UNKNOWN", "values": []} for n in names]}
    if statistics:
        options = tfdv.StatsOptions(schema=schema, infer_type_from_schema=schema is not None, desired_batch_size=ALL)
        if multivalent:
            stats = os.path.join(folder, "stats")
            with beam.Pipeline() as p:
                _ = rows(p) | tfdv.GenerateStatistics(options) | tfdv.WriteStatisticsToTFRecord(stats)
            list_ = tfdv.load_statistics(stats)
        else:
            list_ = tfdv.generate_statistics_from_csv(pattern, column_names=o.get("column_names"), delimiter=delimiter, stats_options=options)
        got["statistics"] = base64.b64encode(list_.SerializeToString(deterministic=True)).decode()
    return got


def case(name, *files, note="", statistics=True, **options):
    with tempfile.TemporaryDirectory() as folder:
        for i, content in enumerate(files):
            content = content.encode() if isinstance(content, str) else content
            with open(os.path.join(folder, "in-%d" % i), "wb") as f:
                f.write(content)
        try:
            expect = run(folder, options, statistics)
        except Exception as e:  # of whatever kind: it is the outcome
            expect = {"error": reason(e).replace(folder, "")}
    OUT.append({"name": name, "note": note, "files": [base64.b64encode(f.encode() if isinstance(f, str) else f).decode() for f in files], "options": options, "expect": expect})
    print(name, expect.get("error", ""), flush=True)


INTS = ["0", "1", "-1", "+1", "007", "-0", " 1", "1 ", "\t1", "\x0b1", "\x0c1", "\x1c1", "1_000", "1__0", "_1", "1_", "+ 1", "--1", "0x10", "0b1", "0o7", "1L", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "-9223372036854775809", "99999999999999999999999", "1" * 4300, "1" * 4301, "٣", "１", "\u00a01", "\u20031", "1\x00"]
FLOATS = ["1.", ".5", ".", "1.5", "1e5", "1E5", "1e+5", "1e-5", "1e", "e1", "1e1.5", "+1.5", "-.5", " 1.5", "1.5\t", "1.5_0", "1_0.5", "1_.5", "1._5", "1e1_0", "1e_1", "1e400", "-1e400", "1e39", "3.4028235e38",
          "3.4028236e38", "1e-50", "1e-400", "16777217", "16777217.0", "0.1", "0x1p3", "0x1.8p1", "1d5", "1.5f", "1,5", "nan", "NaN", "NAN", "-nan", "+NaN", "nan(1)", "nano", "inf", "Inf", "-inf", "+INF", "infinity",
          "-Infinity", "infinit", "１.5", "1.5\u00a0", "\u22121", "1.0000000596046448", "1.00000005960464480"]
STRINGS = ["", " ", "a", "NA", "N/A", "null", "None", "true", "é", "日本", "a b", "a;b", "\x00", "a\x00b", "\u2028", "1 2", "1-2", "2020-01-01", "12:30", "$1", "1%"]


def quoted(cell):
    return '"' + cell.replace('"', '""') + '"' if any(c in cell for c in ',"\n\r') else cell


def table(*rows, delimiter=",", end="\n"):
    return "".join(delimiter.join(quoted(str(c)) for c in row) + end for row in rows)


def named():
    for cell in INTS + FLOATS + STRINGS:
        short = cell if len(cell) < 40 else "%d ones" % len(cell)
        case("cell %a" % short, table(["id", "x"], [1, cell], [2, ""]), statistics=False)
    for name, cells in [("int float", ["1", "2.5"]), ("float int", ["2.5", "1"]), ("int string", ["1", "a"]), ("float string", ["1.5", "a", "nan"]), ("int nan", ["1", "nan"]), ("int large", ["1", "9223372036854775808"]),
                        ("float large", ["1.5", "9223372036854775808"]), ("int missing", ["", "1", ""]), ("missing", ["", "", ""]), ("large int float", ["16777217", "9007199254740993", "0.5"]),
                        ("string spaces", [" a", "a ", " ", "1"]), ("negative zero", ["-0", "-0.0", "0"]), ("infinities", ["inf", "-inf", "nan", "1"]), ("zeros", ["00", "007", "0"]), ("underscores", ["1_000", "2", "1.5"])]:
        case("column " + name, table(["id", "x"], *([i, c] for i, c in enumerate(cells))))
    base = [["id", "fare", "city"], [1, "2.5", "Oslo"], [2, "", "Bergen"], [3, "7", ""], [4, "1e2", "Oslo"]]
    case("plain", table(*base))
    case("crlf", table(*base, end="\r\n"))
    case("no last newline", table(*base)[:-1])
    case("no last newline crlf", table(*base, end="\r\n")[:-2])
    case("blank lines", "id,x\n\n1,a\n\n\n2,b\n\n", note="blank lines are no rows")
    case("blank line of spaces", "id,x\n1,a\n  \n2,b\n")
    case("blank lines crlf", "id,x\r\n\r\n1,a\r\n\r\n")
    case("one column", "x\n1\n\n3\n", note="a blank line is no row, in one column too")
    case("one column quoted empty", 'x\n1\n""\n3\n')
    case("header only", "id,x\n")
    case("header only without newline", "id,x")
    case("empty", "", note="there is no header")
    case("blank first line", "\nid,x\n1,2\n")
    case("delimiter semicolon", table(*base, delimiter=";"), delimiter=";")
    case("delimiter tab", table(*base, delimiter="\t"), delimiter="\t")
    case("delimiter bar", table(*base, delimiter="|"), delimiter="|")
    case("delimiter not in file", table(*base, delimiter=";"))
    case("delimiter space", "id x\n1 2\n3  4\n", delimiter=" ")
    case("delimiter not ascii", "id§x\n1§2\n", delimiter="§")
    case("column names", table(*base[1:]), column_names=["a", "b", "c"])
    case("column names and header", table(*base), column_names=["id", "fare", "city"], note="the header is a row then")
    case("column names too few", table(*base[1:]), column_names=["a", "b"])
    case("name empty", "id,\n1,2\n")
    case("name twice", "id,id\n1,2\n")
    case("name odd", 'id,"a, b",ü,a/b.c\n1,2,3,4\n')
    case("name spaces", " id , x\n1,2\n")
    case("byte order mark", "\ufeffid,x\n1,2\n", note="of the editor of a spreadsheet")
    case("not utf-8", b"id,x\n1,caf\xe9\n")
    case("name not utf-8", b"id,caf\xe9\n1,2\n")
    case("too few cells", "id,x\n1,2\n3\n4,5\n")
    case("too many cells", "id,x\n1,2\n3,4,5\n")
    case("trailing delimiter", "id,x\n1,2,\n")
    case("quoted", 'id,x\n1,"a,b"\n2,"a ""b"" c"\n3,""\n4,"1"\n5,""""\n')
    case("quoted header", '"id","x"\n"1","2"\n')
    case("quoted number with spaces", 'id,x\n1," 2 "\n')
    case("quote inside", 'id,x\n1,5" pipe\n')
    case("quote behind", 'id,x\n1,"a"b\n')
    case("quote behind space", 'id,x\n1, "a"\n')
    case("quote open", 'id,x\n1,"a\n2,b\n3,c\n')
    case("quoted line break", 'id,x\n1,"a\nb"\n2,c\n', note="TFDV reads line by line")
    case("quoted crlf", 'id,x\n1,"a\r\nb"\r\n2,c\r\n')
    case("carriage return inside", "id,x\n1,a\rb\n2,c\n")
    case("carriage returns only", "id,x\r1,2\r3,4\r")
    case("long cell", "id,x\n1," + "a" * 131072 + "\n", statistics=False)
    case("longer cell", "id,x\n1," + "a" * 131073 + "\n", statistics=False, note="Python's module csv has a limit")
    case("two files", "id,x\n1,2\n", "id,x\n3,4.5\n")
    case("two files other header", "id,x\n1,2\n", "x,id\n3,4.5\n")
    case("two files type in second", "id,x\n1,2\n2,3\n", "id,x\n3,a\n")
    case("two files one empty", "id,x\n1,2\n", "id,x\n")
    for t in TYPES:
        case("schema %s of ints" % t, table(["id", "x"], [1, "2"], [2, ""], [3, "-4"]), schema={"id": "INT", "x": t})
        case("schema %s of floats" % t, table(["id", "x"], [1, "2.5"], [2, ""], [3, "1e3"]), schema={"id": "INT", "x": t})
        case("schema %s of strings" % t, table(["id", "x"], [1, "a"], [2, ""], [3, "1"]), schema={"id": "INT", "x": t})
        case("schema %s of large" % t, table(["id", "x"], [1, "99999999999999999999"], [2, ""]), schema={"id": "INT", "x": t})
        case("schema %s of missing" % t, table(["id", "x"], [1, ""], [2, ""]), schema={"id": "INT", "x": t})
    case("schema has fewer", table(*base), schema={"id": "INT"})
    case("schema has more", table(*base), schema={"id": "INT", "fare": "FLOAT", "city": "BYTES", "more": "INT"})
    case("schema of floats of ints with spaces", table(["id", "x"], [1, " 2 "], [2, "1_000"]), schema={"id": "INT", "x": "FLOAT"})
    for name, cells in [("ints", ["1|2", "3", ""]), ("floats", ["1|2.5", "3", "nan|inf"]), ("strings", ["a|b", "c", "a b|"]), ("mixed", ["1|a", "2"]), ("ints with empty", ["1||2", "3"]), ("floats with empty", ["1.5|", "3"]),
                        ("strings with empty", ["a||b", "|", "||"]), ("only empty", ["|", "||"]), ("missing", ["", ""]), ("quoted", ['"a|b"|c', "d"]), ("quoted quotes", ['"a""b"|c']), ("spaces", [" 1 | 2 ", "3"]), ("line break", ["a\nb|c"])]:
        case("multivalent " + name, table(["id", "x"], *([i, c] for i, c in enumerate(cells))), multivalent_columns=["x"], secondary_delimiter="|")
    case("multivalent two", table(["a", "b"], ["1;2", "x;y;z"], ["3", ""], ["", "1"]), multivalent_columns=["a", "b"], secondary_delimiter=";")
    case("multivalent column that is not there", table(["a", "b"], ["1;2", "x"]), multivalent_columns=["c"], secondary_delimiter=";")
    case("multivalent schema", table(["a", "b"], ["1;2", "x"], ["3.5", "y"]), multivalent_columns=["a"], secondary_delimiter=";", schema={"a": "FLOAT", "b": "BYTES"})
    case("multivalent same delimiter", table(["a", "b"], ["1,2", "x"], ["3", "y"]), multivalent_columns=["a"], secondary_delimiter=",")
    case("many columns", table(["c%d" % i for i in range(300)], range(300), ["%d.5" % i for i in range(300)]), statistics=False)


def random_cases(seed, n):
    rng = random.Random(seed)
    pools = [["0", "1", "-5", "42", "1000000", "007", "+3", " 8"], ["0.5", "1e3", "-2.25", "nan", "inf", "3", "1_0.5"], ["a", "b", "Oslo", "x,y", 'say "hi"', "é", "1.5.2"], [""]]
    for i in range(n):
        columns = rng.randint(1, 6)
        kinds = [rng.choice([(0,), (1,), (2,), (0, 3), (1, 3), (2, 3), (0, 1), (0, 1, 3), (0, 2), (1, 2), (3,), (0, 1, 2, 3)]) for _ in range(columns)]
        many = [c for c in range(columns) if rng.random() < 0.2]
        options = {}
        delimiter = rng.choice([",", ",", ",", ";", "\t"])
        if delimiter != ",":
            options["delimiter"] = delimiter
        names = ["c%d" % c for c in range(columns)]
        if many:
            options.update(multivalent_columns=[names[c] for c in many], secondary_delimiter="|")

        def cell(c):
            one = lambda: rng.choice(pools[rng.choice(kinds[c])])
            if c not in many:
                return one()
            values = [v for v in (one() for _ in range(rng.randint(0, 3))) if v and '"' not in v]
            return "|".join(values)
        rows = [[cell(c) for c in range(columns)] for _ in range(rng.choice([1, 2, 5, 20, 100]))]
        rows = [r for r in rows if columns > 1 or r[0]]
        line = lambda row: delimiter.join('"' + v.replace('"', '""') + '"' if any(x in v for x in delimiter + '"') or rng.random() < 0.1 else v for v in row) + "\n"
        header = rng.random() < 0.8
        if not header:
            options["column_names"] = names
        half = rng.randint(0, len(rows)) if rng.random() < 0.3 else len(rows)
        files = ["".join(map(line, ([names] if header else []) + part)) for part in ([rows[:half], rows[half:]] if half < len(rows) else [rows])]
        case("random %d" % i, *files, **options)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("out")
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--random", type=int, default=60)
    args = args.parse_args()
    named()
    random_cases(args.seed, args.random)
    text = "".join(json.dumps(c) + "\n" for c in OUT).encode()
    with open(args.out, "wb") as f, gzip.GzipFile(filename="", fileobj=f, mode="wb", compresslevel=9, mtime=0) as z:
        z.write(text)


main()
