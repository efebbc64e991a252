// Package amount is exact sums of money in cents.
package amount

import (
	"fmt"
	"strconv"
	"strings"
)

// Amount is a sum of money in cents.
type Amount int64

// Parse reads an amount such as "12", "12.5", "-1,234.50". It takes at most two decimals.
func Parse(text string) (Amount, error) {
	whole, cents, found := strings.Cut(strings.ReplaceAll(text, ",", ""), ".")
	units, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("parsing amount %q: not a number", text)
	}
	if !found {
		return Amount(units * 100), nil
	}
	rest, err := parseCents(cents)
	if err != nil {
		return 0, fmt.Errorf("parsing amount %q: %w", text, err)
	}
	if units < 0 {
		return Amount(units*100 - rest), nil
	}
	return Amount(units*100 + rest), nil
}

// parseCents reads the one or two digits behind the point.
func parseCents(digits string) (int64, error) {
	if len(digits) == 0 || len(digits) > 2 {
		return 0, fmt.Errorf("want one or two decimals, have %d", len(digits))
	}
	cents, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("decimals %q are not digits", digits)
	}
	if len(digits) == 1 {
		cents *= 10
	}
	return int64(cents), nil
}

// String writes the amount with two decimals and grouped thousands: "-1,234.50".
func (a Amount) String() string {
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	return fmt.Sprintf("%s%s.%02d", sign, group(strconv.FormatInt(int64(a/100), 10)), a%100)
}

// group puts a comma between each three digits.
func group(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
