"""Records to JSON in Python: FromString and MessageToJson for each record."""

import itertools
import os

import tensorflow as tf
from google.protobuf.json_format import MessageToJson

from clocks import CLOCKS
from parse_ops import payloads

state = {}


def load(request):
    state["records"] = list(itertools.islice(payloads(request["file"]), request["count"]))
    return {}


def run(request):
    clock = CLOCKS[request["clock"]]
    start = clock()
    with open(os.devnull, "w") as out:
        for record in state["records"]:
            print(MessageToJson(tf.train.Example.FromString(record)), file=out)
    return {"seconds": clock() - start}


HANDLERS = {"json.load": load, "json.run": run}
