package sandbox

import "strings"

// launchFile is where a container that stands already finds what to run, below its root.
const launchFile = "run/launch"

// maxLaunch and maxLaunchWords bound what goes through the file: the shell reads it byte by byte. What is longer gets a
// container that is made for it.
const (
	maxLaunch      = 32 << 10
	maxLaunchWords = 256
)

// launcher is the first process of a container that was made before it was known what it will run. It reads a list of words,
// of which none is ever parsed: the working folder, then env's operands. A word is a line that begins with +, goes on with
// lines that begin with - and ends with a lone dot.
const launcher = `exec 3</` + launchFile + ` || exit 125
one=
while IFS= read -r line <&3; do
  case $line in
  +*) one=${line#+} ;;
  -*) one="$one
${line#-}" ;;
  .) set -- "$@" "$one" ;;
  esac
done
exec 3<&-
cd -- "$1" || exit 125
shift
/usr/bin/env -i -- "$@"; ` + tellStatus

// launch is the file for the launcher; ok is false for a spec that is too long for it.
func (s Spec) launch() (text string, ok bool) {
	words := []string{s.workDir()}
	env := s.environment()
	for _, k := range sortedKeys(env) {
		words = append(words, k+"="+env[k])
	}
	words = append(words, s.Args...)
	var b strings.Builder
	for _, w := range words {
		b.WriteString("+" + strings.ReplaceAll(w, "\n", "\n-") + "\n.\n")
	}
	return b.String(), b.Len() <= maxLaunch && len(words) <= maxLaunchWords
}
