import tensorflow as tf
from tensorflow_serving.apis import input_pb2

record = input_pb2.ExampleListWithContext(
  context=tf.train.Example(features=tf.train.Features(feature={
    "q": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a"])),
})),
  examples=[
    tf.train.Example(features=tf.train.Features(feature={
    "score": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5])),
})),
    tf.train.Example(),
  ])
