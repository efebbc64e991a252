package testrun

import (
	"regexp"
	"slices"
)

// stopsEarly is how a runner is told to end at the first failure: the options of a command that say so, and what is put behind
// a command's own options to overrule the folder's configuration.
func stopsEarly(runner string) (options *regexp.Regexp, overrule string) {
	switch runner {
	case "pytest":
		return regexp.MustCompile(`^(-x|--exitfirst|--maxfail(=.*)?|--sw|--stepwise|--stepwise-skip)$`), "--maxfail=0"
	case "unittest":
		return regexp.MustCompile(`^(-f|--failfast)$`), ""
	case "go":
		return regexp.MustCompile(`^--?(test\.)?failfast(=.*)?$`), ""
	case "jest", "vitest":
		return regexp.MustCompile(`^(-b|--bail(=.*)?)$`), "--bail=0"
	case "mocha":
		return regexp.MustCompile(`^(-b|--bail(=.*)?)$`), "--no-bail"
	case "rspec":
		return regexp.MustCompile(`^--fail-fast(=.*)?$`), "--no-fail-fast"
	case "phpunit":
		return regexp.MustCompile(`^--stop-on-\w+$`), ""
	case "ctest":
		return regexp.MustCompile(`^--stop-on-failure$`), ""
	case "maven":
		return regexp.MustCompile(`^(-ff|--fail-fast)$`), "--fail-at-end"
	case "gradle":
		return nil, "--continue"
	}
	return nil, ""
}

// failures is the value that may follow an option that stops after so many failures.
var failures = regexp.MustCompile(`^\d+$`)

// begin fills in how to run the command: all of it, also where it says to end at the first failure, since what did not run
// on the base could not be compared.
func (k Kind) begin(j *job) error {
	options, overrule := stopsEarly(k.Name)
	if options != nil {
		args := slices.Clone(j.spec.Args)
		for i := len(args) - 1; i > 0; i-- {
			if !options.MatchString(args[i]) {
				continue
			}
			end := i + 1
			if (args[i] == "--maxfail" || args[i] == "--bail") && end < len(args) && failures.MatchString(args[end]) {
				end++
			}
			args = slices.Delete(args, i, end)
		}
		j.spec.Args = args
	}
	if err := k.start(j); err != nil || overrule == "" {
		return err
	}
	at := slices.Index(j.spec.Args, "--")
	if at < 0 {
		at = len(j.spec.Args)
	}
	j.spec.Args = slices.Insert(j.spec.Args, at, overrule)
	return nil
}
