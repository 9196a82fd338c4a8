"""python -m tfrecord_tools runs the command tfparse."""

from tfrecord_tools._command import main

main()
