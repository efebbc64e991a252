package model

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// How failed attempts are repeated.
const (
	attempts = 4
	// 1, 2 and 4 seconds, each half fixed and half random, so that many clients do not come back together.
	firstWait = time.Second
	// A server that asks for a longer wait is not asked again: coming back sooner would be refused too, and a person
	// who waits longer than this wants to know.
	longestWait = time.Minute
)

// failure is a failed attempt.
type failure struct {
	e     *Error
	again bool          // another attempt may succeed
	after time.Duration // the least wait that the server asked for
}

func (f *failure) Error() string { return f.e.Error() }
func (f *failure) Unwrap() error { return f.e }

// try runs once until it succeeds, fails for good, or has failed too often. Every attempt starts from nothing: what an
// earlier one streamed is void, and onDelta is told so.
func (r *remote) try(ctx context.Context, onDelta func(Delta), once func(w *wire, emit func(Delta)) (Reply, error)) (Reply, error) {
	emit := onDelta
	if emit == nil {
		emit = func(Delta) {}
	}
	for n := 1; ; n++ {
		if ctx.Err() != nil {
			return Reply{}, cancelled(r.provider, context.Cause(ctx))
		}
		w := &wire{r: r}
		reply, err := once(w, emit)
		if err == nil {
			return reply, nil
		}
		if ctx.Err() != nil {
			return Reply{}, cancelled(r.provider, context.Cause(ctx))
		}
		f := r.failed(err)
		wait := max(f.after, r.backoff(n))
		if !f.again || n == attempts || wait > longestWait {
			return Reply{}, r.final(f, n, wait)
		}
		emit(Delta{Retry: &Retry{Attempt: n, Err: f.e, Wait: wait}})
		if err := r.o.Sleep(ctx, wait); err != nil {
			return Reply{}, cancelled(r.provider, err)
		}
	}
}

// backoff is the wait after attempt n.
func (r *remote) backoff(n int) time.Duration {
	d := firstWait << (n - 1)
	return d/2 + time.Duration(r.o.Rand()*float64(d/2))
}

// final is the error of a call that is given up.
func (r *remote) final(f *failure, n int, wait time.Duration) *Error {
	e := *f.e
	switch {
	case f.again && wait > longestWait:
		e.Message += fmt.Sprintf(" (it asks to wait %s: try again then, or choose another model)", wait.Round(time.Second))
	case f.again:
		e.Message += fmt.Sprintf(" (after %d attempts: try again later, or choose another model)", n)
	}
	return &e
}

// failed explains an error of an attempt; answers with a bad status are explained already, by refused.
func (r *remote) failed(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	var e *Error
	if errors.As(err, &e) {
		return &failure{e: e}
	}
	give := func(again bool, code Code, format string, args ...any) *failure {
		return &failure{e: &Error{code, r.provider, r.clean(fmt.Sprintf(format, args...)), err}, again: again}
	}
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err // its text repeats the address
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return give(false, Unavailable, r.down, r.url())
	case errors.As(err, &cert):
		return give(false, Unavailable, "the certificate of %s is not trusted: %v", r.url(), err)
	case errors.Is(err, errLarge):
		return give(false, Internal, "%v from %s", err, r.url())
	case errors.As(err, &syntax), errors.As(err, &kind):
		return give(false, Internal, "the answer from %s is not in the expected form (%v): check the base URL", r.url(), err)
	case errors.Is(err, errIdle):
		return give(true, Unavailable, "%s fell silent for longer than %s", r.url(), r.o.Idle)
	case errors.Is(err, errCut), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return give(true, Unavailable, "%s ended its stream before the reply was complete", r.url())
	}
	return give(true, Unavailable, "the connection to %s failed: %v", r.url(), err)
}

// refused explains an answer with a status other than 200, or an error in the middle of a stream (status 0).
func (r *remote) refused(model string, status int, header http.Header, body []byte) *failure {
	p := problem(body)
	kind, message := p.kind, p.message
	inStream := status == 0
	if inStream {
		status = p.status
	}
	told := cmp.Or(message, http.StatusText(status), "no reason given")
	f := &failure{e: &Error{Provider: r.provider}, after: max(retryAfter(header, r.o.Now()), p.wait)}
	give := func(code Code, again bool, format string, args ...any) *failure {
		f.e.Code, f.again, f.e.Message = code, again, r.clean(fmt.Sprintf(format, args...))
		return f
	}
	low := strings.ToLower(kind + " " + message)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(low, w) {
				return true
			}
		}
		return false
	}
	switch {
	case status >= 300 && status < 400:
		return give(Invalid, false, "%s redirects to another address, which is not followed: set the base URL to the final one", r.url())
	case status == http.StatusPaymentRequired, has("insufficient_quota", "credit balance", "billing_error", "perday"):
		return give(Limit, false, "the quota or credit of this account is used up (%s): add credit at the provider, or choose another model", told)
	case status == http.StatusTooManyRequests, has("rate_limit_error", "throttling"):
		return give(Limit, true, "too many requests (%s)", told)
	case has("moderation"):
		return give(Invalid, false, "the service's moderation refused the conversation (%s): choose another model, or start a new task", told)
	case status == http.StatusUnauthorized, status == http.StatusForbidden, has("authentication_error", "api_key_invalid"):
		return give(Denied, false, "%s (the server says: %s)", r.keyHelp(), told)
	case has("context_length_exceeded", "prompt is too long", "context length", "context window", "context size",
		"input is too long", "maximum number of tokens", "request_too_large"), status == http.StatusRequestEntityTooLarge:
		return give(Invalid, false, "the conversation is longer than %s can take (%s): start a new task, or choose a model with a larger context", model, told)
	case status == http.StatusNotFound, has("model_not_found", "not a valid model id", "model identifier is invalid"):
		return give(NotFound, false, "%s has no model %q (%s)", r.url(), model, told)
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusFailedDependency, status >= 500, status == 0:
		if inStream {
			status = 0
		}
		return give(Unavailable, true, "%s failed with %s: %s", r.url(), statusText(status), told)
	}
	return give(Invalid, false, "%s refused the request with %d: %s", r.url(), status, told)
}

func statusText(status int) string {
	switch status {
	case 0:
		return "an error in its stream"
	case 529:
		return "529 (overloaded)"
	}
	return strconv.Itoa(status)
}

// trouble is what the body of an error says.
type trouble struct {
	kind    string // the service's own words for it
	message string
	status  int           // where the body repeats it, 0 none: an error within a stream has no other
	wait    time.Duration // before another attempt, 0 not told
}

// problem reads the body of an error, which is {"error": {"type", "code", "message"}}, {"error": "…"}, {"message": "…"},
// {"detail": …} or plain text. Gemini lists its own, with how long to wait and which quota is used up among the details;
// OpenRouter passes the words of the service behind it on in metadata.
func problem(body []byte) trouble {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if list := []json.RawMessage{}; json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0] // Gemini's
	}
	if json.Unmarshal(body, &outer) != nil {
		return trouble{message: string(body[:min(len(body), 500)])}
	}
	var inner problemBody
	if err := json.Unmarshal(outer.Error, &inner); len(outer.Error) > 0 && (err == nil || inner.Message != "") {
		return inner.trouble()
	}
	var text string
	if json.Unmarshal(outer.Error, &text) == nil && text != "" {
		return trouble{message: text}
	}
	return trouble{message: cmp.Or(outer.Message, string(bytes.Trim(outer.Detail, `"`)))}
}

type problemBody struct {
	Type    string `json:"type"`
	Code    any    `json:"code"`
	Status  any    `json:"status"`
	Message string `json:"message"`
	Details []struct {
		Reason string `json:"reason"`
		Delay  string `json:"retryDelay"`
		Quotas []struct {
			ID string `json:"quotaId"`
		} `json:"violations"`
	} `json:"details"`
	Metadata struct {
		Raw     string   `json:"raw"`
		Reasons []string `json:"reasons"`
	} `json:"metadata"`
}

func (p problemBody) trouble() trouble {
	kinds := []string{p.Type}
	out := trouble{message: p.Message}
	for _, v := range []any{p.Code, p.Status} {
		switch v := v.(type) {
		case string:
			kinds = append(kinds, v)
		case float64:
			if v >= 400 && v < 600 {
				out.status = int(v)
			}
		}
	}
	for _, d := range p.Details {
		kinds = append(kinds, d.Reason)
		if wait, err := time.ParseDuration(d.Delay); err == nil {
			out.wait = max(out.wait, wait)
		}
		for _, q := range d.Quotas {
			kinds = append(kinds, q.ID)
		}
	}
	if p.Metadata.Raw != "" {
		out.message += ": " + p.Metadata.Raw
	}
	if len(p.Metadata.Reasons) > 0 {
		kinds = append(kinds, "moderation")
		out.message += ": " + strings.Join(p.Metadata.Reasons, ", ")
	}
	out.kind = strings.Join(slices.DeleteFunc(kinds, func(s string) bool { return s == "" }), " ")
	return out
}

// retryAfter reads Retry-After, in seconds or as a date, and OpenAI's retry-after-ms.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e10 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 && s < 1e7 {
		return time.Duration(s * float64(time.Second))
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, t.Sub(now))
	}
	return 0
}

// keyHelp says what is wrong with the key and where to set it.
func (r *remote) keyHelp() string {
	switch {
	case r.keyName == "":
		return "access was refused"
	case r.key == "" && r.sign == nil:
		return fmt.Sprintf("no key: set the environment variable %s before starting, or save the key in the settings", r.keyName)
	}
	return fmt.Sprintf("the key in %s was refused: correct the environment variable, or save another key in the settings", r.keyName)
}

// url is the server's address for people, without what may be a key.
func (r *remote) url() string {
	u := *r.base
	u.User, u.RawQuery, u.Fragment, u.RawFragment = nil, "", "", ""
	return u.String()
}

// clean takes the key, control characters and excess length out of text that goes into an error.
func (r *remote) clean(s string) string {
	for _, secret := range append([]string{r.key}, r.secrets...) {
		if secret != "" {
			s = strings.ReplaceAll(s, secret, "[key]")
		}
	}
	s = strings.Join(strings.FieldsFunc(s, func(c rune) bool { return unicode.IsSpace(c) || !unicode.IsPrint(c) }), " ")
	if len(s) > 700 {
		s = strings.ToValidUTF8(s[:700], "") + "…"
	}
	return s
}
