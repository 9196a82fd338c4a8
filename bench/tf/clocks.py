"""The clocks, under the names that the Go side uses."""

import time

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
