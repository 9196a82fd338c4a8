package serving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Serve answers requests at ln until ctx ends. Then /readyz answers 503, and after linger ln is closed. Requests in progress get
// the time drain to end; requests that have not ended then are cut off, and Serve returns an error.
func (s *Service) Serve(ctx context.Context, ln net.Listener, linger, drain time.Duration) error {
	server := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       s.limits.MaxTimeout + 5*time.Second, // a body that is read has the deadline of its request
		WriteTimeout:      s.limits.MaxTimeout + 5*time.Second, // an answer of a prediction has the deadline of its request
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(ln) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.log.Info("stopping", "linger", linger.String(), "drain", drain.String())
	s.stopping.Store(true)
	select {
	case err := <-failed:
		return err
	case <-time.After(linger):
	}
	limit, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	err := server.Shutdown(limit)
	if err != nil {
		s.abort(errors.New("the service stopped")) // answers the requests in progress with 503
		limit, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(limit) != nil {
			server.Close() // requests of slow clients get no answer
		}
		s.gate.drained()
		err = fmt.Errorf("requests were cut off after %v: %w", drain, err)
	}
	<-failed
	return err
}
