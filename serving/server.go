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

// Serve answers requests at ln until ctx ends. Then /readyz answers 503, and after linger no connection is accepted any more.
// Requests under way get the time drain; those that are not done then are cut off, which is an error.
func (s *Service) Serve(ctx context.Context, ln net.Listener, linger, drain time.Duration) error {
	server := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       s.limits.MaxTimeout + 5*time.Second, // bodies that are read have the deadline of their request
		WriteTimeout:      s.limits.MaxTimeout + 5*time.Second, // so have answers of predictions
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
		s.abort(errors.New("the service stopped")) // they are answered with 503
		limit, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(limit) != nil {
			server.Close() // and those whose client sends or reads slowly not at all
		}
		s.gate.drained()
		err = fmt.Errorf("requests were cut off after %v: %w", drain, err)
	}
	<-failed
	return err
}
