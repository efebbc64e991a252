package repair

import (
	"regexp"
	"strings"
)

// row is what the edits need to know of a language: the classes of its nodes and how it writes what is put in.
type row struct {
	name    string
	classes map[string]class

	nullWord    string
	yes, no     string
	and, or     string
	equal       string
	not         func(e string) string
	isNull      func(v string) string
	returns     func(e string) string // a return statement, "" without a value
	guard       func(c, statement, indent, unit string) string
	defaults    []string // values that a guard returns
	wrappers    []string // functions of one argument that are often missing, with %s
	siblings    [][]string
	assignTo    func(v, e string) string
	typed       bool     // the compiler refuses what has the wrong type
	grow        []string // statements that put %[2]s into the collection %[1]s
	emptyLists  []string // literals of collections with one element %s
	end         string   // what ends a statement
	lengthOf    string   // of a collection, with %s
	infinity    []string
	methodPairs [][]string
}

func rowOf(name string) *row {
	for _, r := range []*row{pythonRow(), goRow(), scriptRow("javascript"), scriptRow("typescript"), scriptRow("tsx"), javaRow()} {
		if r.name == name {
			return r
		}
	}
	return nil
}

func pythonRow() *row {
	return &row{
		name: "python",
		classes: map[string]class{
			"binary_operator": binary, "comparison_operator": binary, "boolean_operator": binary, "not_operator": unary, "unary_operator": unary,
			"call": call, "attribute": member, "subscript": index, "slice": slice, "identifier": ident, "integer": integer, "float": float,
			"string": str, "true": boolean, "false": boolean, "none": null, "list": list, "set": list, "dictionary": list, "tuple": tuple,
			"expression_list": tuple, "list_comprehension": list, "assignment": assign, "augmented_assignment": augmented, "return_statement": ret,
			"yield": yield, "if_statement": cond, "elif_clause": cond, "while_statement": loop, "for_statement": each, "for_in_clause": each,
			"block": block, "expression_statement": stmt, "raise_statement": raise, "assert_statement": stmt, "delete_statement": stmt,
			"break_statement": jump, "continue_statement": jump, "pass_statement": stmt, "function_definition": function, "lambda": function,
			"parameters": params, "lambda_parameters": params, "argument_list": args, "keyword_argument": keyword, "parenthesized_expression": paren,
			"conditional_expression": ternary, "comment": comment, "await": wait, "generator_expression": other,
		},
		nullWord: "None", yes: "True", no: "False", and: "and", or: "or", equal: "==",
		not: func(e string) string {
			if in, ok := strings.CutPrefix(e, "not "); ok && bracket(in) == in {
				return unwrapped(in)
			}
			if other := flipped(e, pythonFlips); other != "" {
				return other
			}
			return "not " + bracket(e)
		},
		isNull:  func(v string) string { return v + " is None" },
		returns: func(e string) string { return strings.TrimSpace("return " + e) },
		guard: func(c, statement, indent, unit string) string {
			return "if " + c + ":\n" + indent + unit + statement
		},
		defaults: []string{"None", "0", "[]", "False", "True", `""`, "1", "{}", "-1"},
		wrappers: []string{"abs(%s)", "len(%s)", "list(%s)", "sorted(%s)", "str(%s)", "int(%s)", "set(%s)", "max(%s)", "sum(%s)", "float(%s)", "tuple(%s)", "reversed(%s)"},
		siblings: [][]string{{"any", "all"}, {"min", "max", "sum", "len"}, {"sorted", "reversed", "list"}, {"int", "round", "float"}, {"set", "list", "tuple"},
			{"enumerate", "range"}, {"zip", "map"}, {"bisect_left", "bisect_right"}, {"hasattr", "getattr"}, {"heappush", "heappop", "heappushpop", "heapreplace"}, {"str", "repr"}, {"permutations", "combinations", "product"}},
		methodPairs: [][]string{{"append", "extend", "add", "insert"}, {"startswith", "endswith"}, {"lstrip", "rstrip", "strip"}, {"upper", "lower", "title", "capitalize"},
			{"find", "rfind", "index"}, {"keys", "values", "items"}, {"add", "update", "discard", "remove"}, {"pop", "popleft"}, {"append", "appendleft"},
			{"split", "rsplit", "partition", "rpartition"}, {"get", "setdefault", "pop"}, {"union", "intersection", "difference", "symmetric_difference"},
			{"issubset", "issuperset"}, {"isdigit", "isalpha", "isalnum", "isspace"}, {"floor", "ceil"},
			{"match", "search", "fullmatch"}, {"start", "end"}, {"group", "groups"}, {"weekday", "isoweekday"}, {"encode", "decode"}, {"bisect_left", "bisect_right"}, {"insort_left", "insort_right"},
			{"heappush", "heappop", "heappushpop", "heapreplace"}, {"read", "readline", "readlines"}, {"now", "utcnow"}, {"dirname", "basename"}, {"exists", "isfile", "isdir"}, {"split", "splitlines"},
			{"permutations", "combinations", "product"}, {"nlargest", "nsmallest"}, {"islower", "isupper"}, {"ljust", "rjust", "center"}, {"findall", "finditer"}, {"total_seconds", "seconds"},
			{"quote", "quote_plus"}, {"unquote", "unquote_plus"}, {"abspath", "realpath"}},
		assignTo: func(v, e string) string { return v + " = " + e },
		grow:     []string{"%s.append(%s)", "%s.add(%s)"}, emptyLists: []string{"[%s]"}, lengthOf: "len(%s)",
		infinity: []string{`float("inf")`, `float("-inf")`},
	}
}

func goRow() *row {
	return &row{
		name: "go", typed: true,
		classes: map[string]class{
			"binary_expression": binary, "unary_expression": unary, "call_expression": call, "selector_expression": member, "index_expression": index,
			"slice_expression": slice, "identifier": ident, "int_literal": integer, "float_literal": float, "interpreted_string_literal": str,
			"raw_string_literal": str, "rune_literal": str, "true": boolean, "false": boolean, "nil": null, "composite_literal": list,
			"assignment_statement": assign, "short_var_declaration": assign, "inc_statement": update, "dec_statement": update,
			"return_statement": ret, "if_statement": cond, "for_statement": loop, "block": block, "expression_list": tuple,
			"expression_statement": stmt, "defer_statement": stmt, "go_statement": stmt, "var_declaration": stmt, "send_statement": stmt,
			"break_statement": jump, "continue_statement": jump, "function_declaration": function, "method_declaration": function, "func_literal": function,
			"parameter_list": params, "argument_list": args, "parenthesized_expression": paren, "comment": comment,
			"expression_switch_statement": stmt, "type_switch_statement": stmt, "expression_case": block, "default_case": block,
		},
		nullWord: "nil", yes: "true", no: "false", and: "&&", or: "||", equal: "==",
		not: bang, isNull: func(v string) string { return v + " == nil" },
		returns: func(e string) string { return strings.TrimSpace("return " + e) },
		guard: func(c, statement, indent, unit string) string {
			return "if " + c + " {\n" + indent + unit + statement + "\n" + indent + "}"
		},
		defaults: []string{"nil", "0", "false", "true", `""`, "1", "-1"},
		wrappers: []string{"len(%s)", "strings.TrimSpace(%s)", "strings.ToLower(%s)"},
		siblings: [][]string{{"min", "max"}, {"int", "int64", "uint64", "uint32", "int32", "uint", "uint8", "float64"}, {"len", "cap"}},
		methodPairs: [][]string{{"HasPrefix", "HasSuffix", "Contains", "EqualFold"}, {"TrimLeft", "TrimRight", "TrimPrefix", "TrimSuffix", "Trim", "TrimSpace"}, {"TrimPrefix", "TrimSuffix", "TrimLeft", "TrimRight", "Trim"}, {"ToUpper", "ToLower"},
			{"Index", "LastIndex"}, {"IndexByte", "LastIndexByte"}, {"IndexAny", "LastIndexAny"}, {"Before", "After", "Equal"}, {"Lock", "RLock"}, {"Unlock", "RUnlock"}, {"Floor", "Ceil", "Round", "Trunc"}, {"Min", "Max"}, {"Split", "Fields", "SplitAfter"},
			{"SplitN", "SplitAfterN"}, {"Add", "Sub"}, {"Add", "Set", "Del"}, {"Get", "Values"}, {"Year", "Month", "Day", "YearDay", "Weekday"}, {"Hours", "Minutes", "Seconds", "Milliseconds"}, {"Hour", "Minute", "Second", "Nanosecond"},
			{"Unix", "UnixMilli", "UnixNano"}, {"Truncate", "Round"}, {"UTC", "Local"}, {"Print", "Println", "Printf"}, {"Sprint", "Sprintln", "Sprintf"}, {"Sort", "Stable"}, {"Slice", "SliceStable"}, {"SortFunc", "SortStableFunc"},
			{"QueryEscape", "PathEscape"}, {"QueryUnescape", "PathUnescape"}, {"EscapedPath", "RequestURI", "String"}, {"Contains", "ContainsAny", "ContainsRune"}, {"Equal", "EqualFold"}, {"IsLetter", "IsDigit", "IsSpace", "IsUpper", "IsLower", "IsNumber", "IsPunct"},
			{"Base", "Dir", "Ext", "Clean"}, {"Is", "As"}, {"PushFront", "PushBack"}, {"Front", "Back"}, {"InsertBefore", "InsertAfter"}, {"MoveToFront", "MoveToBack"}, {"Next", "Prev"}, {"ParseInt", "ParseUint"}, {"Quote", "Itoa"},
			{"FindString", "FindStringSubmatch"}, {"FindAllString", "FindAllStringSubmatch"}, {"ReplaceAllString", "ReplaceAllLiteralString"}, {"Marshal", "MarshalIndent"}, {"Read", "ReadFull"}, {"WriteString", "WriteByte", "WriteRune"},
			{"Load", "LoadOrStore"}, {"Store", "Swap"}, {"First", "Last"}, {"Left", "Right"}, {"Push", "Pop"}, {"Inc", "Dec"}, {"Abs", "Rel"}, {"IsAbs", "IsLocal"}, {"Open", "Create"}},
		assignTo: func(v, e string) string { return v + " = " + e },
		grow:     []string{"%[1]s = append(%[1]s, %[2]s)", "%[1]s[%[2]s] = true"}, lengthOf: "len(%s)",
	}
}

func scriptRow(name string) *row {
	return &row{
		name: name,
		classes: map[string]class{
			"binary_expression": binary, "unary_expression": unary, "call_expression": call, "new_expression": call, "member_expression": member,
			"subscript_expression": index, "identifier": ident, "number": integer, "string": str, "template_string": str, "true": boolean,
			"false": boolean, "null": null, "undefined": null, "array": list, "object": list, "assignment_expression": assign,
			"variable_declarator": assign, "augmented_assignment_expression": augmented, "update_expression": update, "return_statement": ret,
			"yield_expression": yield, "if_statement": cond, "while_statement": loop, "do_statement": loop, "for_statement": loop,
			"for_in_statement": each, "statement_block": block, "expression_statement": stmt, "lexical_declaration": stmt, "variable_declaration": stmt,
			"throw_statement": raise, "break_statement": jump, "continue_statement": jump, "function_declaration": function,
			"function": function, "function_expression": function, "arrow_function": function, "method_definition": function, "generator_function_declaration": function,
			"formal_parameters": params, "arguments": args, "parenthesized_expression": paren, "ternary_expression": ternary, "comment": comment,
			"await_expression": wait, "switch_case": block, "switch_default": block,
		},
		nullWord: "null", yes: "true", no: "false", and: "&&", or: "||", equal: "===", end: ";",
		not: bang, isNull: func(v string) string { return v + " == null" },
		returns: func(e string) string { return strings.TrimSpace("return "+e) + ";" },
		guard: func(c, statement, indent, unit string) string {
			return "if (" + c + ") " + statement
		},
		defaults: []string{"null", "0", "[]", "false", "true", "''", "1", "undefined", "{}", "-1"},
		wrappers: []string{"Math.abs(%s)", "Number(%s)", "String(%s)", "Math.floor(%s)", "Math.round(%s)", "Math.ceil(%s)", "await %s", "[...%s]"},
		siblings: [][]string{{"parseInt", "parseFloat", "Number"}},
		methodPairs: [][]string{{"push", "unshift"}, {"pop", "shift"}, {"some", "every"}, {"find", "filter", "findIndex", "findLast"}, {"map", "flatMap", "filter", "forEach"}, {"startsWith", "endsWith", "includes"},
			{"trimStart", "trimEnd", "trim"}, {"toUpperCase", "toLowerCase"}, {"indexOf", "lastIndexOf"}, {"floor", "ceil", "round", "trunc"}, {"min", "max"},
			{"keys", "values", "entries"}, {"slice", "splice"}, {"padStart", "padEnd"}, {"add", "delete", "has"}, {"set", "get"}, {"concat", "push"}, {"getDate", "getDay"},
			{"getUTCDate", "getUTCDay"}, {"all", "race", "allSettled", "any"}, {"before", "after"}, {"replace", "replaceAll"}},
		assignTo: func(v, e string) string { return v + " = " + e + ";" },
		grow:     []string{"%s.push(%s);", "%s.add(%s);"}, emptyLists: []string{"[%s]"}, lengthOf: "%s.length",
		infinity: []string{"Infinity", "-Infinity"},
	}
}

func javaRow() *row {
	return &row{
		name: "java", typed: true,
		classes: map[string]class{
			"binary_expression": binary, "unary_expression": unary, "method_invocation": call, "object_creation_expression": call, "field_access": member,
			"array_access": index, "identifier": ident, "decimal_integer_literal": integer, "decimal_floating_point_literal": float, "string_literal": str,
			"character_literal": str, "true": boolean, "false": boolean, "null_literal": null, "array_initializer": list, "assignment_expression": assign,
			"variable_declarator": assign, "update_expression": update, "return_statement": ret, "if_statement": cond, "while_statement": loop,
			"do_statement": loop, "for_statement": loop, "enhanced_for_statement": each, "block": block, "expression_statement": stmt,
			"local_variable_declaration": stmt, "throw_statement": raise, "break_statement": jump, "continue_statement": jump, "method_declaration": function,
			"constructor_declaration": function, "lambda_expression": function, "formal_parameters": params, "argument_list": args,
			"parenthesized_expression": paren, "ternary_expression": ternary, "line_comment": comment, "block_comment": comment, "comment": comment,
			"constructor_body": block, "switch_block_statement_group": block,
		},
		nullWord: "null", yes: "true", no: "false", and: "&&", or: "||", equal: "==", end: ";",
		not: bang, isNull: func(v string) string { return v + " == null" },
		returns: func(e string) string { return strings.TrimSpace("return "+e) + ";" },
		guard: func(c, statement, indent, unit string) string {
			return "if (" + c + ") {\n" + indent + unit + statement + "\n" + indent + "}"
		},
		defaults: []string{"null", "0", "false", "true", `""`, "1", "-1"},
		wrappers: []string{"Math.abs(%s)", "Math.round(%s)", "(long) %s", "(double) %s"},
		methodPairs: [][]string{{"startsWith", "endsWith", "contains"}, {"toUpperCase", "toLowerCase"}, {"indexOf", "lastIndexOf"}, {"min", "max"}, {"floor", "ceil", "round"}, {"equals", "equalsIgnoreCase"},
			{"addFirst", "addLast"}, {"pollFirst", "pollLast"}, {"peekFirst", "peekLast"}, {"getFirst", "getLast"}, {"anyMatch", "allMatch", "noneMatch"}, {"keySet", "values", "entrySet"},
			{"containsKey", "containsValue"}, {"add", "remove"}, {"push", "offer"}, {"pop", "peek", "poll"}, {"trim", "strip"}, {"put", "putIfAbsent"}, {"floorMod", "floorDiv"}, {"isBefore", "isAfter"},
			{"naturalOrder", "reverseOrder"}, {"isEmpty", "isBlank"}, {"replace", "replaceAll", "replaceFirst"}, {"limit", "skip"}, {"takeWhile", "dropWhile"}, {"filter", "takeWhile"},
			{"floorKey", "ceilingKey", "lowerKey", "higherKey"}, {"floorEntry", "ceilingEntry", "lowerEntry", "higherEntry"}, {"floor", "ceiling", "lower", "higher"},
			{"headMap", "tailMap"}, {"headSet", "tailSet"}, {"firstKey", "lastKey"}, {"firstEntry", "lastEntry"}, {"first", "last"}, {"removeFirst", "removeLast"}, {"offerFirst", "offerLast"},
			{"isLetter", "isDigit", "isLetterOrDigit", "isWhitespace"}, {"isUpperCase", "isLowerCase"}, {"plusDays", "plusWeeks", "plusMonths", "plusYears", "minusDays"}, {"minusDays", "plusDays"},
			{"minusMonths", "plusMonths"}, {"addAll", "removeAll", "retainAll"}, {"sum", "max", "min", "count"}, {"compareTo", "compareToIgnoreCase"}, {"nextInt", "nextLine", "next"},
			{"intValue", "longValue", "doubleValue"}, {"getDayOfMonth", "getDayOfWeek", "getDayOfYear"}, {"getKey", "getValue"}},
		assignTo: func(v, e string) string { return v + " = " + e + ";" },
		grow:     []string{"%s.add(%s);", "%s.put(%s, true);"}, lengthOf: "%s.length",
		infinity: []string{"Integer.MAX_VALUE", "Integer.MIN_VALUE"},
	}
}

func bang(e string) string {
	if in, ok := strings.CutPrefix(e, "!"); ok && bracket(in) == in {
		return unwrapped(in)
	}
	if other := flipped(e, plainFlips); other != "" {
		return other
	}
	return "!" + bracket(e)
}

// The comparisons that say the opposite; of order only where nothing is neither before nor behind, as NaN and undefined are.
var (
	plainFlips  = [][2]string{{"==", "!="}, {"===", "!=="}}
	pythonFlips = [][2]string{{"==", "!="}, {"<", ">="}, {">", "<="}, {"in", "not in"}, {"is", "is not"}}
)

// flipped is a comparison turned around, "" where an expression is not one comparison.
func flipped(e string, flips [][2]string) string {
	if logicWord.MatchString(outside(e)) {
		return ""
	}
	found, at := "", -1
	depth := 0
	for i := 0; i < len(e); i++ {
		switch {
		case strings.ContainsRune("([{", rune(e[i])):
			depth++
		case strings.ContainsRune(")]}", rune(e[i])):
			depth--
		case depth == 0 && e[i] == ' ':
			op := comparison.FindString(e[i:])
			if op == "" {
				continue
			}
			if at >= 0 {
				return "" // a < b < c
			}
			found, at = strings.TrimSpace(op), i
			i += len(op) - 2
		}
	}
	for _, f := range flips {
		for k, op := range f {
			if at >= 0 && op == found {
				return e[:at] + " " + f[1-k] + " " + e[at+len(op)+2:]
			}
		}
	}
	return ""
}

var comparison = regexp.MustCompile(`^ (?:===|!==|==|!=|<=|>=|<|>|not in|in|is not|is) `)

// unwrapped is an expression without the parentheses around all of it.
func unwrapped(e string) string {
	if !strings.HasPrefix(e, "(") || !strings.HasSuffix(e, ")") {
		return e
	}
	depth := 0
	for i, c := range e {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(e)-1 {
				return e
			}
		}
	}
	return e[1 : len(e)-1]
}

// either is one condition where p holds and another where it does not, in its shortest form.
func (r *row) either(p, now, was string) string {
	join := func(op string, a, b string) string { return r.clause(a) + " " + op + " " + r.clause(b) }
	switch {
	case now == r.yes && was == r.no:
		return p
	case now == r.no && was == r.yes:
		return r.not(p)
	case now == r.yes:
		return join(r.or, p, was)
	case now == r.no:
		return join(r.and, r.not(p), was)
	case was == r.yes:
		return join(r.or, r.not(p), now)
	case was == r.no:
		return join(r.and, p, now)
	}
	return join(r.and, p, now) + " " + r.or + " " + join(r.and, r.not(p), was)
}

var logicWord = regexp.MustCompile(`&&|\|\||\?|\b(?:and|or|if|lambda)\b`)

var innermost = regexp.MustCompile(`\([^()]*\)`)

// clause is a condition as a part of a larger one.
func (r *row) clause(e string) string {
	if logicWord.MatchString(outside(e)) {
		return bracket(e)
	}
	return e
}

// outside is what of an expression stands outside of all parentheses.
func outside(e string) string {
	for in := innermost.ReplaceAllString(e, ""); in != e; in = innermost.ReplaceAllString(e, "") {
		e = in
	}
	return e
}

// bracket puts an expression in parentheses where an operator stands outside of its own.
func bracket(e string) string {
	depth := 0
	for i, c := range e {
		switch {
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case depth == 0 && (c == ' ' || strings.ContainsRune("+-*/%<>=!&|^?:", c) && i > 0):
			return "(" + e + ")"
		}
	}
	return e
}
