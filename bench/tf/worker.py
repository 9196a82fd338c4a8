"""The TensorFlow side: reads requests, one line of JSON each, and prints one line as the answer to each.

Operations run eagerly on one thread. Only the call is timed, not the checksum or the release of the result.
"""

import json
import os
import sys
import traceback

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import tensorflow as tf

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)

import bsl_ops
import json_ops
import parse_ops
import ragged_ops
import tfdv_ops


def version(request):
    return {"text": "TensorFlow " + tf.__version__}


HANDLERS = {"version": version, **ragged_ops.HANDLERS, **parse_ops.HANDLERS, **bsl_ops.HANDLERS, **json_ops.HANDLERS, **tfdv_ops.HANDLERS}


def main():
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = HANDLERS[request["op"]](request)
        except Exception:
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer), file=answers, flush=True)


main()
