package model

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Options are what the providers need of the outside; the zero value uses the defaults.
type Options struct {
	Key     func(name string) string // gives a key by its environment name (ANTHROPIC_API_KEY, OPENAI_API_KEY), "" none
	BaseURL map[string]string        // by provider name, overrides the default
	HTTP    *http.Client
	Sleep   func(ctx context.Context, d time.Duration) error // waits between attempts
	Prices  []byte                                           // the person's own price table, laid over ours
}

// Known lists the provider names: ollama, openai, anthropic, script.
func Known() []string { return nil }

// Open gives the model named by ref, PROVIDER/NAME; for script, NAME is the path of the file of replies.
func Open(ref string, o Options) (Model, error) { return Model{}, errors.New("not built") }

// Available lists the models that can be called now over all providers, local ones first, asking each for at most two
// seconds; Problems says why a provider gave none.
func Available(ctx context.Context, o Options) (models []Info, problems []Error) { return nil, nil }

// Cost prices usage; known is false for a model without a price ("price unknown", never 0.00). Local models cost 0.
func (m Model) Cost(u Usage) (cost MicroUSD, known bool) { return 0, false }

// WorstCost is the most that a call with this many input tokens and this output limit can cost.
func (m Model) WorstCost(input int64, maxOutput int) (cost MicroUSD, known bool) { return 0, false }

// CountTokens estimates the tokens of a request: ceil(bytes/3.5) plus a few a message; good for limits, not for bills.
func CountTokens(req Request) int64 { return 0 }
