package store

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/credentials/processcreds"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// sign signs a request. Requests are anonymous only if no credentials are configured: with another identity than the configured one,
// a request might read other objects.
func (s *s3) sign(req *http.Request, hash, region string) error {
	if s.anonymous.Load() != nil {
		return nil
	}
	creds, err := s.config.Credentials.Retrieve(req.Context())
	switch {
	case req.Context().Err() != nil:
		return req.Context().Err()
	case err == nil && creds.HasKeys():
	case s.onlyInstance() && noInstance(err):
		if cmp.Or(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")) != "" {
			return errors.New("AWS credentials: only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set")
		}
		// Remember it, so that the next request does not wait for the metadata of an instance again.
		why := "the request was anonymous, because there are no AWS credentials"
		s.anonymous.Store(&why)
		return nil
	default:
		return fmt.Errorf("AWS credentials: %w", credentialsError(err))
	}
	req.Header.Set("X-Amz-Content-Sha256", hash)
	if err := s.signer.SignHTTP(req.Context(), creds, req, hash, "s3", region, time.Now()); err != nil {
		return fmt.Errorf("cannot sign the request: %w", err)
	}
	return nil
}

// onlyInstance reports whether no credentials are configured, so that only an EC2 instance may provide some.
func (s *s3) onlyInstance() bool {
	return aws.IsCredentialsProvider(s.config.Credentials, (*ec2rolecreds.Provider)(nil))
}

// noInstance reports whether an error means that there is no instance, or that it has no role (404) or no metadata service (403).
// An instance that does not respond in time looks like no instance.
func noInstance(err error) bool {
	if strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
		return true
	}
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		status := response.HTTPStatusCode()
		return status == http.StatusNotFound || status == http.StatusForbidden
	}
	_, late := errors.AsType[*smithy.CanceledError](err)
	_, unsent := errors.AsType[*smithyhttp.RequestSendError](err)
	return late || unsent
}

// credentialsError removes possible secrets from an error: the output of a credential_process, and the bodies of responses.
func credentialsError(err error) error {
	if err == nil {
		return errors.New("want an access key, got none")
	}
	if process, ok := errors.AsType[*processcreds.ProviderError](err); ok {
		if exit, ok := errors.AsType[*exec.ExitError](process); ok {
			return fmt.Errorf("credential_process: %w", exit)
		}
		return errors.New("credential_process does not print credentials")
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return errors.New(oneLine(api.ErrorCode() + ": " + api.ErrorMessage()))
	}
	return withoutURL(err)
}

// fail implements backend.
func (s *s3) fail(resp *http.Response) error {
	why := ""
	if p := s.anonymous.Load(); p != nil {
		why = *p
	}
	return newStatusError(resp).because(why)
}
