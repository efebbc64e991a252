package app

import (
	"errors"
	"fmt"

	"github.com/zalando/go-keyring"

	"redgreen/backend/model"
)

// keys finds API keys: the environment first, then the OS keyring; never a file of a repository, never a log.
type keys struct {
	env func(string) string
}

// keyringService names our entries in the OS keyring; the entry's user is the environment name of the key.
const keyringService = "redgreen"

// keyNames are the providers that take a key, with the environment name of each.
func keyNames() map[string]string {
	names := map[string]string{}
	for _, p := range model.Known() {
		if env := model.KeyName(p); env != "" {
			names[p] = env
		}
	}
	return names
}

func (k keys) get(name string) string {
	if v := k.env(name); v != "" {
		return v
	}
	v, err := keyring.Get(keyringService, name)
	if err != nil {
		return "" // none stored, or this machine has no keyring: the same as no key
	}
	return v
}

// all gives every key that is set, those of the environment and those of the keyring.
func (k keys) all() (values []string) {
	for _, name := range keyNames() {
		if v := k.env(name); v != "" {
			values = append(values, v)
		}
		if v, err := keyring.Get(keyringService, name); err == nil {
			values = append(values, v)
		}
	}
	return values
}

// set stores a key; an empty one removes it.
func (k keys) set(provider, key string) error {
	name, ok := keyNames()[provider]
	if !ok {
		return fail(Invalid, fmt.Sprintf("%q takes no key", provider))
	}
	var err error
	if key == "" {
		if err = keyring.Delete(keyringService, name); errors.Is(err, keyring.ErrNotFound) {
			err = nil
		}
	} else {
		err = keyring.Set(keyringService, name, key)
	}
	if err != nil {
		return fail(Unavailable, fmt.Sprintf("the keyring of this system could not be used (%v); set %s in the environment instead", err, name))
	}
	return nil
}
