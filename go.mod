module redgreen

go 1.26.0

require (
	github.com/BurntSushi/toml v1.6.0 // testrun: reads mise.toml, rust-toolchain.toml and settings of rustup
	github.com/Masterminds/semver/v3 v3.5.0 // testrun: npm's version ranges in package.json
	github.com/aws/aws-sdk-go-v2 v1.48.0 // model: Amazon's own signer of requests, for Bedrock with access keys
	github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream v1.7.27 // model: the binary frames of Bedrock's streams, Amazon's own reader of them alone
	github.com/aymanbagabas/go-udiff v0.4.1 // patch: line differences (Myers), maintained fork of the Go tools' own
	github.com/blevesearch/bleve/v2 v2.6.3 // index: the keyword index (owner's choice)
	github.com/blevesearch/bleve_index_api v1.4.1 // index: the types of bleve's postings, for a true BM25F
	github.com/blevesearch/scorch_segment_api/v2 v2.4.11 // index: the types of the segments that bleve keeps postings in
	github.com/blevesearch/snowballstem v0.9.0 // index: English stemming, bleve's own stemmer without its analysis chain
	github.com/bluekeyes/go-gitdiff v0.9.0 // tests: a peer in the table of faulty diffs
	github.com/elastic/go-seccomp-bpf v1.6.0 // sandbox: compiles our system call filter for bubblewrap
	github.com/fsnotify/fsnotify v1.10.1 // index: hears of changed files from the system
	github.com/go-git/go-git/v5 v5.19.3 // repo: reads which files git tracks, from its index, without running git
	github.com/godbus/dbus/v5 v5.2.2 // app: the session's message bus, for one window and for notifications; go-keyring's and Wails' own client
	github.com/google/codesearch v1.2.0 // index: which trigrams a regular expression needs, by the author of the method; the index file itself is not used
	github.com/google/go-cmp v0.7.0 // tests: readable differences
	github.com/klauspost/compress v1.20.4 // session: zstd for big bodies
	github.com/mattn/go-shellwords v1.0.16 // app: splits --test-cmd into words as a shell would, without a shell
	github.com/mattn/go-sqlite3 v1.14.53 // session, index: SQLite (owner's choice)
	github.com/ollama/ollama v0.17.4 // model: Ollama's own client, package api only (owner's choice)
	github.com/rogpeppe/go-internal v1.16.0 // eval: txtar files of bugs; tests: txtar flows of the command line, and the corpus of edits
	github.com/smacker/go-tree-sitter v0.0.0-20240827094217-dd81d9e9be82 // lang: parsers of all languages (owner's choice)
	github.com/sahilm/fuzzy v0.1.1 // app: ranks file names by a few of their letters, as editors do
	github.com/spf13/cobra v1.10.2 // app: subcommands, flags and help
	github.com/wailsapp/wails/v2 v2.13.0 // app: the desktop window (owner's choice)
	github.com/zalando/go-keyring v0.2.8 // app: API keys in the system's keyring
	golang.org/x/image v0.48.0 // model: reads WebP pictures, beside the standard library's PNG, JPEG and GIF
	golang.org/x/net v0.61.0 // sandbox: the instruction form of that filter
	golang.org/x/sys v0.50.0 // repo, sandbox, app: reflinks, mounts, limits and terminals of Linux
	golang.org/x/term v0.48.0 // app: tells a terminal from a pipe
	golang.org/x/text v0.44.0 // patch: UTF-16 and old encodings of files
)

require (
	git.sr.ht/~jackmordaunt/go-toast/v2 v2.0.3 // indirect
	github.com/RoaringBitmap/roaring/v2 v2.14.5 // indirect
	github.com/aws/smithy-go v1.28.9 // indirect
	github.com/bahlo/generic-list-go v0.2.0 // indirect
	github.com/bep/debounce v1.2.1 // indirect
	github.com/bits-and-blooms/bitset v1.24.2 // indirect
	github.com/blevesearch/geo v0.2.8 // indirect
	github.com/blevesearch/go-faiss v1.1.5 // indirect
	github.com/blevesearch/go-porterstemmer v1.0.3 // indirect
	github.com/blevesearch/gtreap v0.1.1 // indirect
	github.com/blevesearch/mmap-go v1.2.0 // indirect
	github.com/blevesearch/segment v0.9.1 // indirect
	github.com/blevesearch/upsidedown_store_api v1.0.2 // indirect
	github.com/blevesearch/vellum v1.2.1 // indirect
	github.com/blevesearch/zapx/v11 v11.4.3 // indirect
	github.com/blevesearch/zapx/v12 v12.4.3 // indirect
	github.com/blevesearch/zapx/v13 v13.4.3 // indirect
	github.com/blevesearch/zapx/v14 v14.4.3 // indirect
	github.com/blevesearch/zapx/v15 v15.4.3 // indirect
	github.com/blevesearch/zapx/v16 v16.3.4 // indirect
	github.com/blevesearch/zapx/v17 v17.2.5 // indirect
	github.com/buger/jsonparser v1.1.1 // indirect
	github.com/danieljoos/wincred v1.2.3 // indirect
	github.com/go-ole/go-ole v1.3.0 // indirect
	github.com/golang/snappy v1.0.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/gorilla/websocket v1.5.3 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/jchv/go-winloader v0.0.0-20210711035445-715c2860da7e // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/labstack/echo/v4 v4.13.3 // indirect
	github.com/labstack/gommon v0.4.2 // indirect
	github.com/leaanthony/go-ansi-parser v1.6.1 // indirect
	github.com/leaanthony/gosod v1.0.4 // indirect
	github.com/leaanthony/slicer v1.6.0 // indirect
	github.com/leaanthony/u v1.1.1 // indirect
	github.com/mailru/easyjson v0.7.7 // indirect
	github.com/mattn/go-colorable v0.1.13 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	github.com/mschoch/smat v0.2.0 // indirect
	github.com/pjbgf/sha1cd v0.7.0 // indirect
	github.com/pkg/browser v0.0.0-20240102092130-5ac0b6a4141c // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/samber/lo v1.49.1 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	github.com/tkrajina/go-reflector v0.5.8 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
	github.com/valyala/fasttemplate v1.2.2 // indirect
	github.com/wailsapp/go-webview2 v1.0.22 // indirect
	github.com/wailsapp/mimetype v1.4.1 // indirect
	github.com/wk8/go-ordered-map/v2 v2.1.8 // indirect
	go.etcd.io/bbolt v1.4.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	google.golang.org/protobuf v1.36.6 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
