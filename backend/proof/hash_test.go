package proof

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"redgreen/backend/patch"
)

// Two proofs of the same inputs, made at other times in other folders, have the same hash, and it is the one of what they say.
func TestTheSameInputsGiveTheSameHash(t *testing.T) {
	b := newBench(t)
	s := readSample(t, "invoice")
	patches := map[string]patch.Patch{
		"proven": solution(t, s),
		"broken": replace("invoice/tax.py", "    return customer.address.country\n", "    return HOME\n")(t, s),
	}
	hashes := map[string]string{}
	for range 2 {
		command, base := b.baseline(t, s)
		for name, p := range patches {
			c := b.prove(t, s, command, base, p)
			c.Issued = c.Issued.Add(time.Hour)
			text, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			if got := Hash(text); got != c.Hash || len(got) != 64 {
				t.Errorf("%s: hash %q, and %q of what it says", name, c.Hash, got)
			}
			if was := hashes[name]; was != "" && was != c.Hash {
				t.Errorf("%s: %s, then %s", name, was, c.Hash)
			}
			hashes[name] = c.Hash
		}
	}
}

// Every field but the times is part of the hash.
func TestHashIsOfAllButTheTimes(t *testing.T) {
	t.Parallel()
	hash := func(c Certificate) string {
		c.seal()
		return c.Hash
	}
	plain := hash(blank(2))
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Certificate]()) {
		c := blank(2)
		v := reflect.ValueOf(&c).Elem().FieldByIndex(field.Index)
		switch v.Kind() {
		case reflect.String:
			v.SetString("x")
		case reflect.Int, reflect.Int64:
			v.SetInt(7)
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		case reflect.Struct:
			if field.Name == "Issued" {
				c.Issued = time.Unix(5, 0)
			} else {
				c.Limits.Memory = 5
			}
		default:
			t.Fatalf("%s is of a kind that this test does not know", field.Name)
		}
		time := field.Name == "Issued" || field.Name == "BaselineMillis" || field.Name == "PatchedMillis" || field.Name == "Hash"
		if same := hash(c) == plain; same != time {
			t.Errorf("%s changed: the hash is the same: %v", field.Name, same)
		}
	}
}

// A certificate of an older version, with fewer fields and no hash, is read with the hash of what it says.
func TestReadOfAnOlderCertificate(t *testing.T) {
	t.Parallel()
	old := `{"state":"proven","issued":"2025-01-01T00:00:00Z","baseline_ms":4,"patched_ms":5,"still_green":3}`
	c, ok := Read([]byte(old))
	if !ok || c.Hash != Hash([]byte(`{"still_green":3,"state":"proven"}`)) || c.StillGreen != 3 {
		t.Errorf("read as %+v, %v", c, ok)
	}
	changed, ok := Read([]byte(`{"hash":"` + c.Hash + `","state":"proven","still_green":4}`))
	if !ok || changed.Hash == c.Hash {
		t.Errorf("a changed certificate is read with the hash of the one that it was made from: %+v", changed)
	}
	for _, none := range []string{"", "null", "{}", `{"state":""}`, "[]", "x"} {
		if c, ok := Read([]byte(none)); ok {
			t.Errorf("%q is read as %+v", none, c)
		}
	}
}
