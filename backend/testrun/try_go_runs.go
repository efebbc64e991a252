package testrun

import (
	"regexp"
	"strings"
)

// goTries is the script that builds the test programs and runs them for each trial. Its arguments: processor
// seconds of a test program, seconds in all, how many that pass end it, the -run pattern, then "red" packages, "--", all packages, "--", trials.
// It writes what each run prints to /out; nothing of the order is parsed as a command.
const goTries = `
patience=$(($1*4+15)) cpu=$1 wall=$2; enough=$3; pattern=$4; go=$5; shift 5
red= all= k=0
mkdir -p /tmp/rg
while [ "$1" != -- ]; do red="$red $1"; shift; done; shift
while [ "$1" != -- ]; do all="$all $1"; shift; done; shift
cp -R /redgreen-order/tree/. /workspace/
for p in $all; do
  k=$((k+1))
  "$go" test -c -vet=off -gcflags=-e -o /tmp/rg/$k.test "./$p" >>/out/build.txt 2>&1 || echo FAILED "$p" >>/out/build.txt
  case " $red " in *" $p "*) redk="$redk $k:$p";; esac
  allk="$allk $k:$p"
done
grep -q '^FAILED' /out/build.txt && exit 3
end=$(($(date +%s)+wall))
ulimit -v 4000000
work() {
  side=$1; shift; n=0
  for t in "$@"; do
    n=$((n+1))
    [ $((n%2)) = $side ] || continue
    [ $(date +%s) -lt $end ] || break
    [ $(ls /out/passed 2>/dev/null | wc -l) -lt $enough ] || break
    [ ! -e /out/last ] || [ $n -lt $(cat /out/last) ] || break
    ok=1
    for kp in $redk; do
      [ -e /tmp/rg/${kp%%:*}.test ] || continue
      (cd "${kp#*:}" && ulimit -t $cpu; REDGREEN_TRIAL=$t timeout -k 1 $patience /tmp/rg/${kp%%:*}.test -test.v -test.run "$pattern" >/tmp/rg/o$side 2>&1; echo "exit $?" >>/tmp/rg/o$side)
      { echo "package ${kp#*:}"; tail -c 200000 /tmp/rg/o$side; } >>/out/r$t
      [ "$(tail -n 1 /tmp/rg/o$side)" = "exit 0" ] || ok=0
    done
    [ $ok = 1 ] || continue
    for kp in $allk; do
      [ -e /tmp/rg/${kp%%:*}.test ] || continue
      (cd "${kp#*:}" && ulimit -t $((cpu*4)); REDGREEN_TRIAL=$t timeout -k 1 $((patience*4)) /tmp/rg/${kp%%:*}.test -test.v >/tmp/rg/o$side 2>&1; echo "exit $?" >>/tmp/rg/o$side)
      { echo "package ${kp#*:}"; tail -c 500000 /tmp/rg/o$side; } >>/out/w$t
      [ "$(tail -n 1 /tmp/rg/o$side)" = "exit 0" ] || ok=0
    done
    if [ $ok = 1 ]; then
      mkdir -p /out/passed; : >/out/passed/$t
      more=$n; [ $more -gt 100 ] || more=100
      [ -e /out/last ] || echo $((n+more)) >/out/last
    fi
  done
}
work 0 "$@" & work 1 "$@"
wait
`

var (
	goError  = regexp.MustCompile(`(?m)^(?:\./)?([^\s:]+\.go):(\d+):\d+: `)
	goResult = regexp.MustCompile(`(?m)^\s*--- (PASS|FAIL|SKIP): (\S+) \(`)
)

// readTrial reads what the runs of one trial printed.
func readTrial(t *Trial, c Command, first, whole string, o TryOptions) {
	t.Tried, t.Built = true, true
	status := goStatuses(c, first)
	if whole != "" {
		t.Whole = true
		status = goStatuses(c, whole)
	}
	for _, id := range o.Red {
		if status[id] == Passed {
			t.Fixed = append(t.Fixed, id)
		}
	}
	t.All = t.Whole && len(t.Fixed) == len(o.Red)
	if t.Whole {
		for _, id := range o.Green {
			if status[id] != Passed {
				t.Broken = append(t.Broken, id)
			}
		}
	}
	if strings.Contains(first, "\nexit 124") || strings.Contains(first, "\nexit 137") {
		t.Hung = o.Red[:1]
	}
	t.Crashed = strings.Contains(first, "\npanic: ") || strings.Contains(first, "stack overflow")
}

// goStatuses reads the output of test programs run with -test.v.
func goStatuses(c Command, text string) map[string]Status {
	all := map[string]Status{}
	for _, part := range strings.Split("\n"+text, "\npackage ")[1:] {
		pkg, rest, _ := strings.Cut(part, "\n")
		prefix := join(c.Dir, pkg) + "."
		if prefix == ".." || prefix == "." {
			prefix = ""
		}
		for _, m := range goResult.FindAllStringSubmatch(rest, -1) {
			all[prefix+m[2]] = map[string]Status{"PASS": Passed, "FAIL": Failed, "SKIP": Skipped}[m[1]]
		}
	}
	return all
}
