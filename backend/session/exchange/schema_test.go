package exchange

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"redgreen/backend/session"
)

var update = flag.Bool("update", false, "write the tables of build/docs/formats.md anew")

// The marks between which the tables of kinds stand in build/docs/formats.md.
const begin, end = "<!-- kinds: go test ./backend/session/exchange -run SchemaIsWrittenDown -update -->", "<!-- end of kinds -->"

// TestSchemaIsWrittenDown holds the documentation of the JSONL file against the code: every kind, every field, its type.
func TestSchemaIsWrittenDown(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "..", "build", "docs", "formats.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	was, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the kinds; put %q and %q around one", path, begin, end)
	}
	want := "\n\n" + kindTables() + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if was != want {
		t.Errorf("%s is not what the code says; write it anew with -update, and count session.Schema up if a field was taken away or means something else", path)
	}
}

// kindTables is a row for each kind, and one for each type that their fields have.
func kindTables() string {
	var b strings.Builder
	types := map[string]reflect.Type{}
	kinds := session.Kinds()
	names := make([]string, 0, len(kinds))
	for kind := range kinds {
		names = append(names, string(kind))
	}
	slices.Sort(names)
	b.WriteString("| kind | fields |\n|---|---|\n")
	for _, name := range names {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, fieldList(reflect.TypeOf(kinds[session.Kind(name)]), types))
	}
	b.WriteString("\n| type | fields |\n|---|---|\n")
	for done := map[string]bool{}; len(done) < len(types); {
		var next []string
		for name := range types {
			if !done[name] {
				next = append(next, name)
			}
		}
		slices.Sort(next)
		done[next[0]] = true
		fmt.Fprintf(&b, "| %s | %s |\n", next[0], fieldList(types[next[0]], types))
	}
	return b.String()
}

func fieldList(t reflect.Type, types map[string]reflect.Type) string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		text := "`" + name + "` " + jsonType(f.Type, types)
		if strings.Contains(options, "omitempty") {
			text += "?"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func jsonType(t reflect.Type, types map[string]reflect.Type) string {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return "any"
	case t == reflect.TypeFor[time.Time]():
		return "time"
	case t == reflect.TypeFor[time.Duration]():
		return "nanoseconds"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return jsonType(t.Elem(), types) + " or null"
	case reflect.Slice:
		return "list of " + jsonType(t.Elem(), types)
	case reflect.Map:
		return "map of " + jsonType(t.Elem(), types)
	case reflect.Struct:
		types[t.Name()] = t
		return t.Name()
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "bool"
	case reflect.Float64:
		return "number"
	case reflect.Interface:
		return "any"
	}
	return "integer"
}
