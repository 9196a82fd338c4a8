package serving

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/mem"
)

// predictMethod is the call of TensorFlow Serving that takes a PredictRequest and returns a PredictResponse.
const predictMethod = "/tensorflow.serving.PredictionService/Predict"

// A backend is the connection to the model server. gRPC reconnects by itself.
type backend struct{ conn *grpc.ClientConn }

// dial connects to the model server in the background. ca is a file of certificates; without it there is no TLS.
func dial(address, ca string, maxAnswer int) (*backend, error) {
	transport := insecure.NewCredentials()
	if ca != "" {
		var err error
		if transport, err = credentials.NewClientTLSFromFile(ca, ""); err != nil {
			return nil, err
		}
	}
	conn, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawCodec{}), grpc.MaxCallRecvMsgSize(maxAnswer), grpc.MaxCallSendMsgSize(math.MaxInt32)),
		// A peer that is gone is noticed when a request is not acknowledged for Timeout. Servers end a connection that pings more
		// often than every five minutes.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 6 * time.Minute, Timeout: 10 * time.Second}),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`), // use all addresses of a name
		grpc.WithIdleTimeout(0), // stay connected: /readyz reports the state
	)
	if err != nil {
		return nil, err
	}
	conn.Connect()
	return &backend{conn}, nil
}

// predict sends a PredictRequest and returns the bytes of the PredictResponse, in the memory of dst. It sends the deadline
// of ctx to the model server with the request.
func (b *backend) predict(ctx context.Context, request, dst []byte) ([]byte, error) {
	dst = dst[:0]
	err := b.conn.Invoke(ctx, predictMethod, &request, &dst)
	return dst, err
}

// state returns the state of the connection. It waits up to a second for a connection in progress.
func (b *backend) state(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for {
		s := b.conn.GetState()
		if s != connectivity.Idle && s != connectivity.Connecting {
			return s.String()
		}
		b.conn.Connect()
		if !b.conn.WaitForStateChange(ctx, s) {
			return s.String()
		}
	}
}

// rawCodec sends and receives encoded messages, so that no generated code of TensorFlow is needed.
// A message is a *[]byte.
type rawCodec struct{}

// Name returns "proto", so that the content type is application/grpc+proto.
func (rawCodec) Name() string { return "proto" }

// Marshal copies the message: gRPC may send it after the call has ended at its deadline, when its memory is already reused.
func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	b, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("want *[]byte, got %T", v)
	}
	return mem.BufferSlice{mem.Copy(*b, mem.DefaultBufferPool())}, nil
}

// Unmarshal copies the message into the memory of the slice.
func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	b, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("want *[]byte, got %T", v)
	}
	*b = slices.Grow((*b)[:0], data.Len())[:data.Len()]
	data.CopyTo(*b)
	return nil
}
