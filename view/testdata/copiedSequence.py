import tensorflow as tf

record = tf.train.SequenceExample(
  context=tf.train.Features(feature={
    "id": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a"])),
}),
  feature_lists=tf.train.FeatureLists(feature_list={
    "empty": tf.train.FeatureList(feature=[
    ]),
    "steps": tf.train.FeatureList(feature=[
        tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2])),
        tf.train.Feature(),
        tf.train.Feature(int64_list=tf.train.Int64List(value=[])),
    ]),
    "words": tf.train.FeatureList(feature=[
        tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x"])),
    ]),
}))
