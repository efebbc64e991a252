package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// The environment names of the keys that sign; the token belongs to keys that are lent for a time.
const (
	accessKey = "AWS_ACCESS_KEY_ID"
	secretKey = "AWS_SECRET_ACCESS_KEY"
	lentToken = "AWS_SESSION_TOKEN"
)

// useAccessKeys has each request signed (AWS Signature Version 4) where there are access keys and no API key. Profiles,
// roles and sign-in are not followed: what they give can be put into these names by Amazon's own command line
// (aws configure export-credentials).
func (p *bedrock) useAccessKeys(region string) error {
	keys := aws.Credentials{AccessKeyID: trimKey(p.o.Key(accessKey)), SecretAccessKey: trimKey(p.o.Key(secretKey)), SessionToken: trimKey(p.o.Key(lentToken))}
	if p.key != "" || keys.AccessKeyID == "" || keys.SecretAccessKey == "" {
		return nil
	}
	if p.base.Scheme == "http" && !p.o.here(p.base.String()) {
		return &Error{Denied, p.provider, fmt.Sprintf("requests to %s are not signed, because http is not encrypted: use an https base URL", p.base.Host), nil}
	}
	p.signed, p.keyName = true, accessKey
	p.secrets = append(p.secrets, keys.SecretAccessKey, keys.SessionToken, keys.AccessKeyID)
	signer := v4.NewSigner()
	p.sign = func(req *http.Request, body []byte) error {
		sum := sha256.Sum256(body)
		if err := signer.SignHTTP(req.Context(), keys, req, hex.EncodeToString(sum[:]), "bedrock", region, p.o.Now()); err != nil {
			return fmt.Errorf("signing the request: %w", err)
		}
		return nil
	}
	return nil
}
