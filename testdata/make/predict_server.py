"""A PredictionService as TensorFlow Serving has it, for one model: Predict over gRPC, on the CPU.

    python predict_server.py FOLDER NAME

Serves the SavedModel in FOLDER under NAME, at a free port of localhost, which it prints. The checks are those of Serving: the
model and the signature are there, and the inputs are those of the signature and no others. serve.py uses it.

Needs tensorflow-cpu and tensorflow-serving-api (pip install --no-deps), the same version, and grpcio.
"""
import os
import sys
from concurrent import futures

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
import grpc
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc


class PredictionService(prediction_service_pb2_grpc.PredictionServiceServicer):
    def __init__(self, folder, name):
        self.name, self.model = name, tf.saved_model.load(folder)

    def Predict(self, request, context):
        def refuse(code, text):
            context.abort(code, text)
        spec = request.model_spec
        if spec.name != self.name:
            refuse(grpc.StatusCode.NOT_FOUND, f"Servable not found for request: Latest({spec.name})")
        signature = self.model.signatures.get(spec.signature_name or "serving_default")
        if signature is None:
            refuse(grpc.StatusCode.INVALID_ARGUMENT, f"Serving signature key {spec.signature_name!r} not found.")
        want = signature.structured_input_signature[1]
        if sorted(request.inputs) != sorted(want):
            refuse(grpc.StatusCode.INVALID_ARGUMENT, f"input size does not match signature: {sorted(request.inputs)} != {sorted(want)}")
        try:
            inputs = {k: tf.constant(tf.make_ndarray(t), tf.as_dtype(t.dtype)) for k, t in request.inputs.items()}
            outputs = signature(**inputs)
        except (tf.errors.OpError, TypeError, ValueError) as e:
            refuse(grpc.StatusCode.INVALID_ARGUMENT, str(e))
        names = list(request.output_filter) or list(outputs)
        if missing := [k for k in names if k not in outputs]:
            refuse(grpc.StatusCode.INVALID_ARGUMENT, f"output tensor alias not found in signature: {missing}")
        response = predict_pb2.PredictResponse(model_spec=spec)
        for k in names:
            response.outputs[k].CopyFrom(tf.make_tensor_proto(outputs[k].numpy(), dtype=outputs[k].dtype, shape=outputs[k].shape))
        return response


def main():
    server = grpc.server(futures.ThreadPoolExecutor(4))
    prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(PredictionService(*sys.argv[1:3]), server)
    print(server.add_insecure_port("localhost:0"), flush=True)
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main()
