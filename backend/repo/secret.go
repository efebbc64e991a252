package repo

import (
	"fmt"
	"path"
	"strings"
	"unicode"
)

// IsSecret reports whether a path names a file that holds credentials by custom: environment files, private keys, token
// files, cloud and cluster configuration. Case, trailing dots, invisible characters and backup suffixes make no
// difference. Files whose secret shows only in their content (a key under another name, an .npmrc with a token) are
// refused when they are read or copied.
func IsSecret(p string) bool { return whySecret(p) != "" }

// secretPath gives the refusal for a path of a secret file.
func secretPath(p string) error {
	if why := whySecret(p); why != "" {
		return secretError(p, why)
	}
	return nil
}

func secretError(p, why string) error {
	return fmt.Errorf("%w: %s looks like %s, which no tool, index or log may see; ask the person for what you need to "+
		"know, or work with an example file that holds no real values", ErrSecret, p, why)
}

// whySecret says what kind of secret a path names, "" for none.
func whySecret(p string) string {
	above := ""
	for name := range strings.SplitSeq(strings.ReplaceAll(p, `\`, "/"), "/") {
		folded := fold(name)
		if why := secretName(above, folded); why != "" {
			return why
		}
		above = folded
	}
	return ""
}

// secretName judges one folded component of a path by itself and the one above it.
func secretName(above, name string) string {
	name = backupOf(name)
	switch {
	case strings.HasPrefix(name, ".env") && !example(name), strings.HasSuffix(name, ".env") && !example(strings.TrimSuffix(name, ".env")):
		return "an environment file"
	case sshKey(name):
		return "a private SSH key"
	}
	switch path.Ext(name) {
	case ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx":
		return "a private key or key store"
	case ".tfstate", ".tfvars":
		return "Terraform state or variables"
	case ".kubeconfig":
		return "cluster credentials"
	}
	switch name {
	case ".ssh", ".gnupg", ".password-store":
		return "a folder of private keys"
	case ".aws", ".azure", ".gcloud", ".oci", "application_default_credentials.json":
		return "cloud credentials"
	case ".kube", "kubeconfig":
		return "cluster credentials"
	case ".netrc", "_netrc", ".pgpass", "pgpass.conf", ".my.cnf", ".git-credentials", ".htpasswd", ".dockercfg",
		".terraformrc", "terraform.rc", "credentials.tfrc.json", ".vault-token", ".boto", ".s3cfg":
		return "a file of passwords or tokens"
	case "secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", "secrets.ini", "secrets.properties":
		return "a file of secrets"
	}
	switch above + "/" + name {
	case ".docker/config.json", ".config/gh", ".config/hub", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials":
		return "a file of passwords or tokens"
	case ".config/gcloud":
		return "cloud credentials"
	}
	if path.Ext(name) == ".json" && strings.HasPrefix(strings.NewReplacer("-", "", "_", "").Replace(name), "serviceaccount") {
		return "cloud credentials"
	}
	return ""
}

// example reports the names under which repositories show what belongs into an environment file.
func example(name string) bool {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "example", "sample", "template", "dist":
		return true
	}
	return false
}

// sshKey reports the names ssh-keygen gives to private keys, also with something behind (id_rsa_work, id_ed25519.2019), but
// neither the public half nor source code that happens to begin so.
func sshKey(name string) bool {
	rest, ok := strings.CutPrefix(name, "id_")
	if !ok {
		return false
	}
	for _, kind := range []string{"rsa", "dsa", "ecdsa", "ed25519", "xmss"} {
		tail, ok := strings.CutPrefix(rest, kind)
		if !ok || tail != "" && !strings.ContainsRune("_-.", rune(tail[0])) && !unicode.IsDigit(rune(tail[0])) {
			continue
		}
		switch path.Ext(name) {
		case ".pub", ".go", ".py", ".js", ".ts", ".tsx", ".jsx", ".rs", ".c", ".h", ".cc", ".cpp", ".java", ".kt", ".rb", ".php",
			".cs", ".swift", ".scala", ".sh", ".md", ".rst", ".html":
			return false
		}
		return true
	}
	return false
}

// backupOf takes off what editors and people add to the name of a copy: it holds the same secret.
func backupOf(name string) string {
	for {
		short := strings.TrimRight(strings.Trim(name, "#"), "~")
		switch ext := path.Ext(short); ext {
		case ".bak", ".old", ".orig", ".save", ".backup", ".copy", ".tmp":
			short = strings.TrimSuffix(short, ext)
		case ".swp", ".swo": // vim's: a dot before, the suffix behind
			short = strings.TrimPrefix(strings.TrimSuffix(short, ext), ".")
		}
		if short == name || short == "" {
			return name
		}
		name = short
	}
}

// fold gives the spelling in which two names are the same file for the most forgiving filesystem: case folded, invisible
// characters and trailing dots and spaces left out, an NTFS stream cut off.
func fold(name string) string {
	ascii := true
	for i := 0; i < len(name); i++ {
		if c := name[i]; c >= 0x80 || c < ' ' {
			ascii = false
			break
		}
	}
	if ascii {
		name = strings.ToLower(name)
	} else {
		name = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) {
				return -1
			}
			return unicode.ToLower(unicode.ToUpper(r)) // by way of upper case, so that ſ is s
		}, name)
	}
	if i := strings.IndexByte(name, ':'); i > 0 {
		name = name[:i]
	}
	if name == "." || name == ".." {
		return name
	}
	return strings.TrimRight(name, ". ")
}
