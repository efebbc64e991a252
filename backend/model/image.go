package model

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/image/webp"
)

// Image is a picture in a message of the user. Its bytes are not in the JSON form: a session keeps them as a body, by Hash.
type Image struct {
	Type   string `json:"type"` // image/png, image/jpeg, image/gif, image/webp
	Hash   string `json:"hash"` // hex SHA-256 of Data
	Size   int    `json:"size"` // bytes
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Data   []byte `json:"-"`
}

// The limits of pictures.
const (
	// MaxImage is the most bytes of one picture: with base64's third more they are 5 MB, the most that Anthropic takes, and
	// 3.75 MB is what Bedrock takes.
	MaxImage  = 15 << 18
	MaxImages = 5 // in one message
	// MaxImageBytes is the most bytes of all pictures of one conversation, which go with each request: Anthropic takes
	// requests of up to 32 MB, and base64 makes 26.7 MB of these.
	MaxImageBytes = 20 << 20
	// Sides of more pixels are refused by Anthropic; more pixels in all would take more memory here than a look is worth.
	maxSide   = 8000
	maxPixels = 40 << 20
)

// format is one kind of picture, told by its first bytes and by nothing else.
type format struct {
	name, media, magic string // in magic, "?" stands for any byte
	config             func(io.Reader) (image.Config, error)
	decode             func(io.Reader) (image.Image, error)
	bare               func([]byte) ([]byte, error) // the picture alone
}

// formats are the pictures that every maker takes.
var formats = []format{
	{"PNG", "image/png", "\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode, barePNG},
	{"JPEG", "image/jpeg", "\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode, bareJPEG},
	{"GIF", "image/gif", "GIF8?a", gif.DecodeConfig, gif.Decode, bareGIF},
	{"WebP", "image/webp", "RIFF????WEBP", webp.DecodeConfig, webp.Decode, bareWebP},
}

func (f format) begins(data []byte) bool {
	if len(data) < len(f.magic) {
		return false
	}
	for i := range len(f.magic) {
		if f.magic[i] != '?' && f.magic[i] != data[i] {
			return false
		}
	}
	return true
}

// ReadImage takes a picture that a person gives: data must be a whole PNG, JPEG, GIF or WebP picture within the limits, since one
// that only begins like it would be refused by the provider when the task has begun. What is given back is the picture alone,
// without the texts, places, cameras and further frames that its file held; of moving pictures it is the first.
func ReadImage(data []byte) (Image, error) {
	f, _, err := lookImage(data)
	if err != nil {
		return Image{}, err
	}
	bare, err := f.bare(data)
	if err == nil {
		_, err = f.decode(bytes.NewReader(bare))
	}
	if err != nil {
		return Image{}, f.unread(err)
	}
	return KeptImage(bare)
}

// KeptImage looks at a picture that ReadImage gave and a record kept, by its head alone: what it is, and that it is no larger
// than may be drawn.
func KeptImage(data []byte) (Image, error) {
	f, c, err := lookImage(data)
	if err != nil {
		return Image{}, err
	}
	sum := sha256.Sum256(data)
	return Image{Type: f.media, Hash: hex.EncodeToString(sum[:]), Size: len(data), Width: c.Width, Height: c.Height, Data: data}, nil
}

func (f format) unread(err error) error {
	var o odd
	if errors.As(err, &o) {
		return o
	}
	return fmt.Errorf("the %s picture cannot be read, so it is damaged or cut off; save it anew (%w)", f.name, err)
}

// lookImage finds a picture's format and size, and refuses what is too large before it takes memory.
func lookImage(data []byte) (format, image.Config, error) {
	if len(data) == 0 {
		return format{}, image.Config{}, errors.New("the picture is empty: its file has no bytes; save it anew")
	}
	if len(data) > MaxImage {
		return format{}, image.Config{}, fmt.Errorf("the picture has %.1f MB, and models take at most 3.75 MB; make it smaller, or cut out what matters", float64(len(data))/(1<<20))
	}
	i := slices.IndexFunc(formats, func(f format) bool { return f.begins(data) })
	if i < 0 {
		return format{}, image.Config{}, errors.New("this is no PNG, JPEG, GIF or WebP picture, and models take no others; save it as PNG")
	}
	f := formats[i]
	c, err := f.config(bytes.NewReader(data))
	switch {
	case err != nil || c.Width <= 0 || c.Height <= 0:
		return f, c, f.unread(cmp.Or(err, errors.New("it has no size")))
	case c.Width > maxSide || c.Height > maxSide || c.Width*c.Height > maxPixels:
		return f, c, fmt.Errorf("the picture has %d × %d pixels, and at most %d a side and 40 million in all are taken; make it smaller", c.Width, c.Height, maxSide)
	}
	return f, c, nil
}

// ReadImages checks the pictures of one message.
func ReadImages(data [][]byte) ([]Image, error) {
	if len(data) > MaxImages {
		return nil, fmt.Errorf("a message takes at most %d pictures, not %d; leave out some", MaxImages, len(data))
	}
	var out []Image
	for i, d := range data {
		one, err := ReadImage(d)
		if err != nil && len(data) > 1 {
			return nil, fmt.Errorf("picture %d: %w", i+1, err)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// Tokens bounds what a picture is counted as. Anthropic counts a token for each 750 pixels, up to about 4,800 for its newest
// models, since it makes larger ones smaller (docs.claude.com, Vision); OpenAI 85 and 170 for each tile of 512 pixels, or a
// patch of 32 pixels times at most 2.46, of at most 1,536 patches (platform.openai.com, Images and vision); Gemini 258 for
// each tile of 768 pixels. Only gpt-4o-mini counts more, at a price a token that makes up for it. What a server here
// counts depends on the model, and is less.
func (i Image) Tokens() int64 {
	return min(300+int64(i.Width)*int64(i.Height)/400, 4800)
}

func (i Image) base64() string { return base64.StdEncoding.EncodeToString(i.Data) }

// DataURL is the picture in the form that OpenAI's formats take.
func (i Image) DataURL() string { return "data:" + i.Type + ";base64," + i.base64() }

// WithoutImages is a request's body with the hash of each of its pictures where its bytes were: a record keeps them once.
func WithoutImages(body []byte, req Request) []byte {
	for _, m := range req.Messages {
		for _, i := range m.Images {
			if len(i.Data) == 0 {
				continue
			}
			body = bytes.ReplaceAll(body, []byte(i.base64()), []byte("sha256:"+i.Hash))
		}
	}
	return body
}

// Takes says whether a model takes pictures.
type Takes string

// What is known of it; Unknown is the zero value.
const (
	Unknown Takes = ""
	Yes     Takes = "yes"
	No      Takes = "no"
)

func takes(yes bool) Takes {
	if yes {
		return Yes
	}
	return No
}

// Families of models whose makers say whether they take pictures (docs.claude.com, platform.openai.com and ai.google.dev, the
// page of each model; Amazon's page of Nova's models).
var (
	sighted = regexp.MustCompile(`^(claude-([3-9]|opus|sonnet|haiku)|gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-[5-9]|chatgpt-4o|o1|o3|o4-mini|gemini-|amazon\.nova-(lite|pro|premier))`)
	blind   = regexp.MustCompile(`^(claude-(2|instant)|gpt-3\.5|gpt-4(-0613|-0314|-32k.*)?$|gpt-oss|o1-(mini|preview)|o3-mini|gpt-4o(-mini)?-search|amazon\.nova-micro)`)
	// region and maker stand before a model's name at Bedrock and behind a router: us.anthropic.claude-…, openai/gpt-….
	region = regexp.MustCompile(`^((us|eu|apac|ap|jp|au|global)\.)?(anthropic\.|(anthropic|openai|google)/)?`)
)

// takesByName is what is known of a model by its name alone.
func takesByName(name string) Takes {
	name = strings.TrimPrefix(name, region.FindString(name))
	switch {
	case blind.MatchString(name):
		return No
	case sighted.MatchString(name):
		return Yes
	}
	return Unknown
}

// RefuseImages says in an error that the model takes no pictures, nil where it does or where that is not known.
func (i Info) RefuseImages() error {
	switch {
	case i.Images != No:
		return nil
	case i.Search:
		return &Error{Invalid, i.Provider, "the built-in engine takes no pictures: it searches in code; say in words what the picture shows, or choose a model that takes pictures", nil}
	}
	return &Error{Invalid, i.Provider, i.Name + " takes no pictures; say in words what the picture shows, or choose a model that takes pictures", nil}
}

// hasImages says whether a request holds a picture.
func hasImages(req Request) bool {
	return slices.ContainsFunc(req.Messages, func(m Message) bool { return len(m.Images) > 0 })
}
