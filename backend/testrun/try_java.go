package testrun

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// javaTries compiles our driver and has it carry out the order. $1 is the folder of its sources, $2 the order.
const javaTries = `
bin=${JAVA_HOME:+$JAVA_HOME/bin/}
mkdir -p /tmp/redgreen/driver
"${bin}javac" -J-XX:TieredStopAtLevel=1 -J-Xshare:auto -nowarn -proc:none -encoding UTF-8 -d /tmp/redgreen/driver "$1"/*.java || exit 3
exec "${bin}java" -XX:TieredStopAtLevel=1 -Xshare:auto -XX:+UseSerialGC -Xmx200m -Dredgreen.order="$2" -cp /tmp/redgreen/driver redgreen.Try /tmp/redgreen "$2"
`

// errUnfit is why a driver is not begun for tests that it cannot run one by one.
var errUnfit = errors.New("a failing test is known by no class and method")

// tryJava has our driver start the command once, to learn where its classes come from, and then load version after version.
func tryJava(j *job, o order) error {
	if slices.ContainsFunc(o.First, func(id string) bool {
		_, method, ok := splitJavaID(id)
		return !ok || method == ""
	}) {
		return errUnfit
	}
	if j.spec.Env["JAVA_HOME"] == "" {
		if err := j.jvm("java"); err != nil {
			return err
		}
	}
	if err := j.seal(); err != nil {
		return err
	}
	var b strings.Builder
	put := func(key string, values ...string) {
		b.WriteString(key)
		for _, v := range values {
			b.WriteString(" " + base64.StdEncoding.EncodeToString([]byte(v)))
		}
		b.WriteString("\n")
	}
	for key, all := range map[string][]string{"command": j.spec.Args, "first": o.First, "red": o.Red, "green": o.Green, "trace": o.Trace} {
		for _, v := range all {
			put(key, v)
		}
	}
	for i, c := range o.Trials {
		for _, p := range paths(c) {
			put("trial", strconv.Itoa(i), path.Join(workspacePath, p), c[p])
		}
	}
	put("seconds", fmt.Sprint(o.Seconds))
	put("wall", fmt.Sprint(o.Wall))
	put("enough", strconv.Itoa(o.Enough))
	put("compare", strconv.Itoa(compareWall))
	j.spec.Limits.Wall += 2 * compareWall * time.Second
	put("driver", "/tmp/redgreen/driver")
	put("shims", path.Join(reportersPath, "java", "shims"))
	dir := filepath.Join(j.temp, "order")
	err := os.Mkdir(dir, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "order"), []byte(b.String()), 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing the candidates: %w", err)
	}
	j.mount(dir, orderPath)
	j.spec.Args = []string{"/bin/sh", "-c", javaTries, "sh", path.Join(reportersPath, "java"), path.Join(orderPath, "order")}
	return nil
}
