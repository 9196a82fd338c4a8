import tensorflow as tf

record = tf.train.Example(features=tf.train.Features(feature={
    "": tf.train.Feature(int64_list=tf.train.Int64List(value=[1])),
    "bytes": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"\x00\xff\x7f"])),
    "floats": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, -0.1, 1e-45, 3.4028235e+38, float("nan"), float("+inf"), float("-inf"), -0.0])),
    "ints": tf.train.Feature(int64_list=tf.train.Int64List(value=[0, -1, 9223372036854775807, -9223372036854775808])),
    "no floats": tf.train.Feature(float_list=tf.train.FloatList(value=[])),
    "no ints": tf.train.Feature(int64_list=tf.train.Int64List(value=[])),
    "no strings": tf.train.Feature(bytes_list=tf.train.BytesList(value=[])),
    "none": tf.train.Feature(),
    "text": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"it's \"quoted\"\x0a\\", b"\xc3\xa9\xe2\x80\xa8", b"", b"</script>"])),
    "é\"\\\t\u2028": tf.train.Feature(int64_list=tf.train.Int64List(value=[2])),
}))
