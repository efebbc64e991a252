package model

import (
	"context"
	"errors"
	"fmt"
)

// Code tells errors apart; the same words as the window's error codes.
type Code string

// The codes a provider gives.
const (
	Invalid     Code = "invalid"     // the request was refused as malformed
	NotFound    Code = "not_found"   // no such model
	Denied      Code = "denied"      // missing or bad key
	Limit       Code = "limit"       // rate limit or quota, after all retries
	Cancelled   Code = "cancelled"   // the context ended
	Unavailable Code = "unavailable" // refused connection, 5xx after all retries, a stream cut short
	Internal    Code = "internal"    // an answer that we cannot read
)

// Error says what happened, why, and what to do next; it never holds a key.
type Error struct {
	Code     Code   `json:"code"`
	Provider string `json:"provider"`
	Message  string `json:"message"`
	Err      error  `json:"-"`
}

func (e *Error) Error() string { return e.Provider + ": " + e.Message }
func (e *Error) Unwrap() error { return e.Err }

// asError makes an *Error of any error; a context that ended is Cancelled, what is not known Internal.
func asError(provider string, err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return cancelled(provider, err)
	}
	return &Error{Internal, provider, err.Error(), err}
}

func cancelled(provider string, err error) *Error {
	return &Error{Cancelled, provider, fmt.Sprintf("the model call was stopped: %v", err), err}
}
