"""What time is measured by, under the names that the Go side has."""

import time

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
