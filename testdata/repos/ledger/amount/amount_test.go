package amount

import "testing"

func TestParse(t *testing.T) {
	tests := []struct {
		name, text string
		want       Amount
	}{
		{"whole", "12", 1200},
		{"one decimal", "12.5", 1250},
		{"two decimals", "12.05", 1205},
		{"thousands", "1,234.50", 123450},
		{"negative", "-3.10", -310},
		{"negative whole", "-7", -700},
		{"only cents", "0.75", 75},
		{"negative cents", "-0.75", -75},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("Parse(%q) = %d cents, want %d", tt.text, got, tt.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "ten", "1.", "1.005", "1.-5", "1.2.3"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %d, want an error", text, got)
		}
	}
}

func TestString(t *testing.T) {
	tests := map[Amount]string{
		0:         "0.00",
		5:         "0.05",
		-5:        "-0.05",
		123450:    "1,234.50",
		-98765432: "-987,654.32",
	}
	for amount, want := range tests {
		if got := amount.String(); got != want {
			t.Errorf("Amount(%d).String() = %q, want %q", int64(amount), got, want)
		}
	}
}
