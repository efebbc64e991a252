package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"redgreen/backend/agent"
	"redgreen/backend/model"
	"redgreen/backend/patch"
	"redgreen/backend/repo"
	"redgreen/backend/search"
	"redgreen/backend/session"
)

// Code is what the window and the exit status switch on; never the text.
type Code string

// The error codes, shared with the frontend.
const (
	Invalid     Code = "invalid"
	NotFound    Code = "not_found"
	Conflict    Code = "conflict"
	Denied      Code = "denied"
	Limit       Code = "limit"
	Cancelled   Code = "cancelled"
	Unavailable Code = "unavailable"
	Internal    Code = "internal"
)

// Error is an error as a person sees it: what happened, why, and what to do next.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	err     error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.err }

func fail(code Code, message string) *Error { return &Error{Code: code, Message: message} }

// explain gives any error its code. What a name in it would do to the text around it, such as turn its direction, it does not.
func explain(err error) *Error {
	var own *Error
	if err == nil {
		return nil
	}
	if errors.As(err, &own) {
		return &Error{Code: own.Code, Message: shortened(visible(own.Message)), err: own.err}
	}
	message := err.Error()
	if errors.Is(err, syscall.ENOSPC) && !strings.Contains(message, "free some") {
		message += "; free some space on the disk and try again"
	}
	return &Error{Code: codeOf(err), Message: shortened(visible(message)), err: err}
}

// shortened leaves out the middle of a message that quotes more than anyone reads; what to do next stands at its end.
func shortened(message string) string {
	const head, tail = 3000, 500 // bytes
	if len(message) <= head+tail {
		return message
	}
	return strings.ToValidUTF8(message[:head], "") + " … " + strings.ToValidUTF8(message[len(message)-tail:], "")
}

func codeOf(err error) Code {
	var m *model.Error
	var edit *patch.Error
	switch {
	case errors.As(err, &m):
		return Code(m.Code)
	case errors.As(err, &edit):
		return Invalid
	case errors.Is(err, context.Canceled):
		return Cancelled
	case errors.Is(err, context.DeadlineExceeded):
		return Limit
	case errors.Is(err, repo.ErrConflict), errors.Is(err, repo.ErrBusy), errors.Is(err, repo.ErrDone), errors.Is(err, agent.ErrState), errors.Is(err, session.ErrConflict), errors.Is(err, session.ErrImported):
		return Conflict
	case errors.Is(err, repo.ErrOutside), errors.Is(err, repo.ErrSecret), errors.Is(err, repo.ErrSymlink), errors.Is(err, repo.ErrIgnored), errors.Is(err, os.ErrPermission):
		return Denied
	case errors.Is(err, repo.ErrBinary), errors.Is(err, repo.ErrTooLarge), errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.ENAMETOOLONG),
		errors.Is(err, search.ErrQuery), errors.Is(err, search.ErrEmpty), errors.Is(err, agent.ErrNeedsModel):
		return Invalid
	case errors.Is(err, repo.ErrGone), errors.Is(err, fs.ErrNotExist), errors.Is(err, session.ErrNotFound):
		return NotFound
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EROFS), errors.Is(err, session.ErrFull), errors.Is(err, session.ErrReadOnly):
		return Unavailable
	}
	return Internal
}
