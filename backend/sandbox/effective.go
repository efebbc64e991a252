package sandbox

// Effective is what the limits mean for a run: defaults where they are zero.
func (l Limits) Effective() Limits { return l.withDefaults() }
