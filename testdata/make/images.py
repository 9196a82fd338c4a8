"""Which encoded images tf.io.decode_image reads, whole and cut off at every byte.

python images.py ../images.jsonl

A line is {"name", "image" in base64, "decodes": the lengths from which the first bytes of the image are an image for
TensorFlow, as pairs of the first length and the one after the last}.
"""
import base64
import json
import struct
import sys
import zlib

import tensorflow as tf


def chunk(kind, data, crc=None):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data) if crc is None else crc)


def png(before=b"", width=8):
    head = struct.pack(">IIBBBBB", width, 8, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + before + chunk(b"IDAT", zlib.compress((b"\0" + bytes(3 * 8)) * 8)) + chunk(b"IEND", b"")


def bmp(width, height, bits):
    row = (bits // 8 * width + 3) // 4 * 4
    size = row * abs(height)
    return b"BM" + struct.pack("<IHHI", 54 + size, 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, size, 0, 0, 0, 0) + bytes(size)


GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
GIF2 = GIF[:-1] + GIF[19:]  # two frames
PIXELS = tf.constant([[[x * 30, y * 30, x * y] for x in range(8)] for y in range(8)], tf.uint8)
JPEG = tf.io.encode_jpeg(PIXELS).numpy()


def segment(marker, data):
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data


IMAGES = {
    "png": png(),
    "png of TensorFlow, 16 bits": tf.io.encode_png(tf.cast(PIXELS, tf.uint16)).numpy(),
    "png with a comment": png(chunk(b"tEXt", b"Comment\0hello")),
    "png with a comment and a wrong checksum": png(chunk(b"tEXt", b"Comment\0hello", 1)),
    "png with a critical chunk and a wrong checksum": png(chunk(b"PLTE", bytes(6), 1)),
    "png of no width": png(width=0),
    "png and more": png() + b"more",
    "jpeg": JPEG,
    "jpeg in grey": tf.io.encode_jpeg(PIXELS[:, :, :1]).numpy(),
    "jpeg, progressive": tf.io.encode_jpeg(PIXELS, progressive=True).numpy(),
    "jpeg with another in its header": JPEG[:2] + segment(0xE1, b"Exif\0\0" + JPEG) + JPEG[2:],
    "jpeg and more": JPEG + b"\0\0more",
    "gif": GIF,
    "gif of two frames": GIF2,
    "gif of no version": b"GIF81a" + GIF[6:],
    "bmp": bmp(3, 2, 24),
    "bmp from top to bottom": bmp(3, -2, 32),
    "bmp and more": bmp(3, 2, 24) + b"more",
    "bmp in grey": bmp(5, 2, 8),
    "bmp of 16 bits": bmp(4, 2, 16),
    "bmp of no height": bmp(4, 0, 24),
    "html": b"<html><body>404 not found</body></html>",
}


def decodes(image):
    try:
        tf.io.decode_image(image, expand_animations=False)
        return True
    except (tf.errors.InvalidArgumentError, tf.errors.UnknownError):
        return False


with open(sys.argv[1], "w") as out:
    for name, image in IMAGES.items():
        good = [decodes(image[:n]) for n in range(len(image) + 1)] + [False]
        ranges = []
        for n, ok in enumerate(good):
            if ok and not (n and good[n - 1]):
                ranges.append([n, n + 1])
            elif ok:
                ranges[-1][1] = n + 1
        out.write(json.dumps({"name": name, "image": base64.b64encode(image).decode(), "decodes": ranges}) + "\n")
