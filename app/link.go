package app

import (
	"fmt"
	"regexp"
	"strings"
)

// linkScheme is how the system names our links; the desktop entry of the package says that they are ours.
const linkScheme = "redgreen://"

// linkForm is the one link that there is. Whoever made it is not trusted: it opens a session to look at, and does nothing.
var linkForm = regexp.MustCompile(`^redgreen://session/([A-Za-z0-9_-]{1,64})/?$`)

// linkedSession reads redgreen://session/ID; isLink is false for anything else than a link of ours.
func linkedSession(arg string) (id string, isLink bool, err error) {
	if !strings.HasPrefix(strings.ToLower(arg), linkScheme) {
		return "", false, nil
	}
	m := linkForm.FindStringSubmatch(arg)
	if m == nil {
		return "", true, fmt.Errorf("the link %q names no session; one looks like redgreen://session/ID", arg)
	}
	return m[1], true, nil
}
