package repair

// priors is the logarithm of how likely each kind of edit is the fix.
func priors() map[string]float64 {
	return map[string]float64{
		"boundary": 0.6, "comparison": 0, "logic": 0, "operator": 0.2, "off by one": 0.3, "variable": -0.2, "field": -0.3, "swap arguments": 0, "swap": -0.6,
		"constant": -0.6, "negate": -0.4, "widen": 0, "narrow": -0.2, "condition": -0.6, "drop condition": -0.6, "drop operand": -0.5, "unwrap": -0.3,
		"missing call": -0.4, "missing operand": -0.5, "expression": -0.6, "sibling": 0, "function": -0.4, "argument": -0.6, "slice": -0.3,
		"initial value": -0.2, "return": -0.2, "missing return": -0.4, "jump": -0.3, "assignment": 0, "guard": 0.2, "split condition": -0.3, "under a condition": -1, "missing statement": -0.7, "delete": -0.8, "move": -0.5,
	}
}
