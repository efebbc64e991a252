package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
)

// answer gathers a streamed reply.
type answer struct {
	emit           func(Delta)
	text, thinking strings.Builder
	calls          []*partCall
	size           int
}

// partCall is a tool call that still streams in.
type partCall struct {
	index    int // as the server numbers it, -1 none
	id, name string
	args     strings.Builder
	extra    json.RawMessage // what must come back with the call, nil nothing
}

func (a *answer) grow(s string) error {
	if a.size += len(s); a.size > maxAnswer {
		return errLarge
	}
	return nil
}

func (a *answer) addText(s string) error {
	if s == "" {
		return nil
	}
	a.text.WriteString(s)
	a.emit(Delta{Text: s})
	return a.grow(s)
}

func (a *answer) addThinking(s string) error {
	if s == "" {
		return nil
	}
	a.thinking.WriteString(s)
	a.emit(Delta{Thinking: s})
	return a.grow(s)
}

// call gives the call that a piece belongs to, a new one where it begins one. Servers differ: some number the calls,
// some number all of them 0, some number none, some repeat the id with every piece and some give none at all.
func (a *answer) call(index int, id, name string) *partCall {
	for _, c := range slices.Backward(a.calls) {
		same := id != "" && c.id == id
		if index >= 0 && id == "" {
			same = c.index == index
		}
		if index < 0 && id == "" && name == "" {
			same = true // the last one goes on
		}
		if same || index >= 0 && c.index == index && c.id == "" {
			if c.name == "" {
				c.name = name
			}
			if c.id == "" {
				c.id = id
			}
			return c
		}
	}
	c := &partCall{index: index, id: id, name: name}
	a.calls = append(a.calls, c)
	return c
}

func (a *answer) addArgs(c *partCall, s string) error {
	c.args.WriteString(s)
	return a.grow(s)
}

// message is the whole reply. Calls without an id get one, made of their place in the conversation, so that a replay
// gives the same; arguments are passed on as they are, valid or not.
func (a *answer) message(req Request) Message {
	m := Message{Role: Assistant, Text: a.text.String(), Thinking: a.thinking.String()}
	for i, c := range a.calls {
		call := Call{ID: c.id, Name: c.name, Args: c.args.String()}
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%d_%d", len(req.Messages), i+1)
		}
		if strings.TrimSpace(call.Args) == "" {
			call.Args = "{}"
		}
		m.Calls = append(m.Calls, call)
	}
	return m
}

// stop is why the reply ended, where the provider's own reason says nothing special.
func (a *answer) stop() Stop {
	if len(a.calls) > 0 {
		return StopCalls
	}
	return StopEnd
}

// argsObject gives arguments as the JSON object that some formats demand when a call is sent back. Arguments that are
// none are wrapped, so that the model sees what it wrote.
func argsObject(args string) json.RawMessage {
	if raw := bytes.TrimSpace([]byte(args)); json.Valid(raw) && bytes.HasPrefix(raw, []byte("{")) {
		return raw
	}
	raw, err := json.Marshal(map[string]string{"invalid_json": args})
	if err != nil {
		return json.RawMessage(`{}`) // cannot be: a map of strings
	}
	return raw
}

// nearest gives up to three of names that look most like name: those that share the longest beginning with it.
func nearest(name string, names []string) []string {
	shared := func(s string) int {
		n := 0
		for n < len(s) && n < len(name) && s[n] == name[n] {
			n++
		}
		return n
	}
	near := slices.Clone(names)
	slices.SortStableFunc(near, func(a, b string) int { return shared(b) - shared(a) })
	return near[:min(3, len(near))]
}

// trimKey takes away what is often pasted along with a key.
func trimKey(s string) string { return strings.Trim(s, " \t\r\n\"'") }

// loopback says whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// baseURL is the base URL of a provider: the person's own, the environment's, or fallback.
func (o Options) baseURL(provider, fallback string) string {
	if u := o.BaseURL[provider]; u != "" {
		return u
	}
	if u := o.Env(strings.ToUpper(provider) + "_BASE_URL"); u != "" && provider != "ollama" {
		return u
	}
	if u := o.Env("AZURE_OPENAI_ENDPOINT"); u != "" && provider == "azure" {
		return u
	}
	return fallback
}

// here says whether a base URL points to this machine, also by an address that it has in a network.
func (o Options) here(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	if loopback(u.Hostname()) {
		return true
	}
	host, _, _ := strings.Cut(u.Hostname(), "%") // an address of a link names its interface
	ip := net.ParseIP(host)
	if ip == nil {
		return false
	}
	addrs, _ := o.Addrs() // none: then it is not known to be here
	return ip.IsUnspecified() || slices.ContainsFunc(addrs, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(ip)
	})
}
