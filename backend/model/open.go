package model

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options are what the providers need of the outside; the zero value uses the defaults.
type Options struct {
	Key       func(name string) string                         // gives a key by its environment name (ANTHROPIC_API_KEY, OPENAI_API_KEY), "" none; default Env
	Env       func(name string) string                         // gives settings such as OLLAMA_HOST; default os.Getenv
	BaseURL   map[string]string                                // by provider name, overrides the default
	HTTP      *http.Client                                     // only its Transport is used
	Sleep     func(ctx context.Context, d time.Duration) error // waits between attempts
	Rand      func() float64                                   // jitter between attempts, in [0,1)
	Now       func() time.Time
	Addrs     func() ([]net.Addr, error) // the addresses of this machine; default net.InterfaceAddrs
	Idle      time.Duration              // the longest silence in a stream, default 2 minutes; the first byte may take five times that
	MaxBytes  int64                      // the most of one answer that is read, default 128 MiB
	Prices    []byte                     // the person's own price table, laid over ours
	Windows   map[string]int             // the person's own word for a model's context in tokens, by PROVIDER/NAME
	Forms     map[string]Form            // how a model is asked for calls, by PROVIDER/NAME; others: Auto
	EditForms map[string]string          // becomes Info.EditForm, by PROVIDER/NAME
	Second    map[string]string          // another base URL of a provider, asked for the same model in an outage of the first
}

// defaults fills in what was left out.
func (o Options) defaults() Options {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Key == nil {
		o.Key = o.Env
	}
	if o.HTTP == nil {
		o.HTTP = http.DefaultClient
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Addrs == nil {
		o.Addrs = net.InterfaceAddrs
	}
	o.Idle = cmp.Or(o.Idle, 2*time.Minute)
	o.MaxBytes = cmp.Or(o.MaxBytes, maxBytes)
	return o
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// maker is one row of the list of providers.
type maker struct {
	name string
	make func(o Options, model string) (Provider, error) // model "": only to list models
	info func(o Options, model string) Info              // what is known without asking
	key  string                                          // the environment name of its key, "" none
	list bool                                            // has models to list
	more bool                                            // is one of many: without key, setting or server nothing is said of it
}

// providers is the one list of providers: a new one is a file and a row here.
func providers() []maker {
	return []maker{
		{"ollama", newOllama, ollamaInfo, "", true, false},
		row("openai"),
		{"anthropic", newAnthropic, anthropicInfo, "ANTHROPIC_API_KEY", true, false},
		row("gemini"),
		row("openrouter"),
		row("azure"),
		{"bedrock", newBedrock, bedrockInfo, bedrockKey, false, true},
		row("llamacpp"),
		row("lmstudio"),
		{"script", newScript, scriptInfo, "", false, false},
	}
}

// row is the row of a service that speaks a dialect of Chat Completions.
func row(provider string) maker {
	d := dialectOf(provider)
	return maker{d.provider, d.make, d.info, d.keyName, d.provider != "azure", d.provider != "openai"}
}

// KeyName is the environment name of a provider's key, "" where it has none.
func KeyName(provider string) string {
	for _, p := range providers() {
		if p.name == provider {
			return p.key
		}
	}
	return ""
}

// NeedsKey says whether a provider cannot be called without a key, unless it is asked at a base URL of the person's own.
func NeedsKey(provider string) bool {
	return KeyName(provider) != "" && !dialectOf(provider).own
}

// setUp says whether a person did anything to use the provider.
func (p maker) setUp(o Options) bool {
	return o.baseURL(p.name, "") != "" || p.key != "" && o.Key(p.key) != ""
}

// Known lists the provider names: ollama, openai, anthropic, gemini and so on, script last.
func Known() []string {
	var names []string
	for _, p := range providers() {
		names = append(names, p.name)
	}
	return names
}

// Open gives the model named by ref, PROVIDER/NAME; for script, NAME is the path of the file of replies. It asks no
// server: whether the model exists shows in the first call.
func Open(ref string, o Options) (Model, error) {
	o = o.defaults()
	name, model, _ := strings.Cut(ref, "/")
	i := slices.IndexFunc(providers(), func(p maker) bool { return p.name == name })
	if i < 0 || model == "" {
		return Model{}, &Error{Invalid, cmp.Or(name, "model"), fmt.Sprintf(
			"%q names no model: write PROVIDER/NAME with one of the providers %s", ref, strings.Join(Known(), ", ")), nil}
	}
	p := providers()[i]
	prov, err := p.make(o, model)
	if err != nil {
		return Model{}, err
	}
	m := Model{Info: p.info(o, model), Provider: prov}
	prices, err := o.prices()
	if err != nil {
		return Model{}, &Error{Invalid, name, err.Error(), err}
	}
	m.price = prices(m.Info)
	m.last, m.now = &lastCall{}, o.Now
	if m.second, err = p.second(o, m.Info); err != nil {
		return Model{}, err
	}
	m.forms = &forms{form: o.Forms[m.Ref()]}
	m.EditForm = o.EditForms[m.Ref()]
	m.own = o.Windows[m.Ref()]
	m.Window = cmp.Or(m.own, m.Window, m.price.contextWindow())
	return m, nil
}

// second opens the second place of a model, nil where none is set.
func (p maker) second(o Options, info Info) (*second, error) {
	base := o.Second[p.name]
	if base == "" {
		return nil, nil
	}
	there := o
	there.BaseURL = map[string]string{p.name: base}
	prov, err := p.make(there, info.Name)
	if err != nil {
		return nil, fmt.Errorf("opening the second place of %s: %w", p.name, err)
	}
	host := base
	if u, err := url.Parse(base); err == nil && u.Host != "" {
		host = u.Host
	}
	prices, err := there.prices()
	if err != nil {
		return nil, err
	}
	at := p.info(there, info.Name)
	return &second{provider: prov, host: host, price: prices(at), local: at.Local, now: o.Now}, nil
}

// prices gives the function that finds a model's price: the person's own rows first, ours only for the maker's own
// service, since others sell models of the same name at other prices.
func (o Options) prices() (func(Info) *price, error) {
	ours, err := parsePrices(pricesJSON)
	if err != nil {
		return nil, err
	}
	var own []price
	if len(o.Prices) > 0 {
		if own, err = parsePrices(o.Prices); err != nil {
			return nil, fmt.Errorf("your own prices: %w; correct or remove prices.json in the settings folder", err)
		}
		for _, p := range own {
			if !slices.ContainsFunc(providers(), func(m maker) bool { return m.name == p.provider }) {
				return nil, fmt.Errorf("your own prices: there is no provider %q; correct or remove prices.json in the settings folder", p.provider)
			}
		}
	}
	return func(i Info) *price {
		if p := findPrice(own, i.Provider, i.Name); p != nil {
			return p
		}
		if o.baseURL(i.Provider, "") != "" {
			return nil
		}
		return findPrice(ours, i.Provider, i.Name)
	}, nil
}

// Available lists the models that can be called now over all providers, local ones first, asking each for at most two
// seconds and all at once; problems says why a provider gave none.
func Available(ctx context.Context, o Options) (models []Info, problems []Error) {
	o = o.defaults()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	type result struct {
		infos []Info
		err   error
	}
	results := make([]result, len(providers()))
	var wait sync.WaitGroup
	for i, p := range providers() {
		if p.list {
			wait.Go(func() { results[i].infos, results[i].err = p.models(ctx, o) })
		}
	}
	wait.Wait()
	prices, perr := o.prices()
	if perr != nil {
		problems = append(problems, Error{Invalid, "model", perr.Error(), perr})
	}
	for i, p := range providers() {
		if results[i].err != nil && (!p.more || p.setUp(o)) {
			e := *asError(p.name, results[i].err)
			if e.Code == Cancelled {
				e = Error{Unavailable, p.name, "did not say within two seconds which models it has: try again, or name one as " + p.name + "/NAME", e.Err}
			}
			problems = append(problems, e)
		}
		for _, info := range results[i].infos {
			if perr == nil && info.Window == 0 {
				info.Window = prices(info).contextWindow()
			}
			models = append(models, info)
		}
	}
	slices.SortStableFunc(models, func(a, b Info) int {
		switch {
		case a.Local == b.Local:
			return 0
		case a.Local:
			return -1
		}
		return 1
	})
	return models, problems
}

// models lists one provider's models, where it can be asked without a key or has one.
func (p maker) models(ctx context.Context, o Options) ([]Info, error) {
	prov, err := p.make(o, "")
	if err != nil {
		return nil, err
	}
	return prov.Models(ctx)
}

// Describe asks the provider what it knows of the model, the context window above all. The person's own window stands
// before it; where the provider does not tell, the price table's, or 0.
func (m Model) Describe(ctx context.Context) (Info, error) {
	d, ok := m.Provider.(interface {
		describe(ctx context.Context, info Info) (Info, error)
	})
	if !ok {
		return m.Info, nil
	}
	info, err := d.describe(ctx, m.Info)
	info.Window = cmp.Or(m.own, info.Window)
	return info, err
}

// outputLimit is Request.MaxOutput with its default.
func outputLimit(n int) int {
	if n <= 0 {
		return 8192
	}
	return n
}
