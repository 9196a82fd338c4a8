"""TensorFlow Data Validation as a program: computes statistics of the files in its arguments, on one core."""

import os
import sys

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import tensorflow_data_validation as tfdv

stats = tfdv.generate_statistics_from_tfrecord(sys.argv[1:])
print(stats.datasets[0].num_examples)
