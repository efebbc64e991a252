package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// post sends a JSON body and gives the answer, whose status is 200; the caller closes it.
func (r *remote) post(ctx context.Context, w *wire, path, model string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", cmp.Or(r.accept, "text/event-stream"))
	if r.sign != nil {
		if err := r.sign(req, body); err != nil {
			return nil, err
		}
	}
	return r.do(w, req, model)
}

// get fetches a JSON value.
func (r *remote) get(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base.JoinPath(path).String(), nil)
	if err != nil {
		return err
	}
	resp, err := r.do(&wire{r: r}, req, "")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return readJSON(resp.Body, into)
}

func (r *remote) do(w *wire, req *http.Request, model string) (*http.Response, error) {
	req.Header.Set("User-Agent", "redgreen")
	resp, err := w.client().Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what could be read of a refusal is enough
	return nil, r.refused(model, resp.StatusCode, resp.Header, text)
}

func readJSON(from io.Reader, into any) error {
	data, err := io.ReadAll(io.LimitReader(from, maxAnswer+1))
	if err != nil {
		return err
	}
	if len(data) > maxAnswer {
		return errLarge
	}
	return json.Unmarshal(data, into)
}

// listErr explains why models could not be listed.
func (r *remote) listErr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return cancelled(r.provider, context.Cause(ctx))
	}
	return r.failed(err).e
}

// suggest adds the names of models that exist to the error of one that does not.
func (r *remote) suggest(ctx context.Context, err error, model string, list func(context.Context) ([]Info, error)) error {
	e := asError(r.provider, err)
	if e.Code != NotFound {
		return e
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	infos, lerr := list(ctx)
	if lerr != nil || len(infos) == 0 {
		return e
	}
	var names []string
	for _, i := range infos {
		names = append(names, i.Name)
	}
	more := *e
	more.Message += fmt.Sprintf("; it has %s", strings.Join(nearest(model, names), ", "))
	return &more
}
