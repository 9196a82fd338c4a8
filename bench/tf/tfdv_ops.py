"""Statistics of records with TensorFlow Data Validation: files in, one message out."""

from clocks import CLOCKS


def run(request):
    import tensorflow_data_validation as tfdv

    clock = CLOCKS[request["clock"]]
    start = clock()
    stats = tfdv.generate_statistics_from_tfrecord(request["files"])
    seconds = clock() - start
    return {"seconds": seconds, "sum": {"records": int(stats.datasets[0].num_examples), "features": len(stats.datasets[0].features)}}


HANDLERS = {"tfdv.run": run}
