package index

import (
	"encoding/binary"
	"fmt"

	"redgreen/backend/lang"
)

// packMentions keeps where a file says names: for each the bytes since the last one's end and its kind, as one number.
// The names themselves are in the file's text.
func packMentions(list []lang.Mention) []byte {
	out := make([]byte, 0, len(list)*5/4)
	end := 0
	for _, m := range list {
		out = binary.AppendUvarint(out, uint64(m.Start-end)<<2|uint64(m.Kind))
		end = m.End
	}
	return out
}

// eachMention calls do for every name of a file in order of place.
func eachMention(src, packed []byte, do func(lang.Mention)) error {
	end := 0
	for len(packed) > 0 {
		x, n := binary.Uvarint(packed)
		if n <= 0 || x>>2 >= uint64(len(src)-end) {
			return fmt.Errorf("%w: the names of a file", errDamaged)
		}
		packed = packed[n:]
		m := lang.Mention{Start: end + int(x>>2), Kind: lang.MentionKind(x & 3)}
		m.End = lang.NameAt(src, m.Start)
		end = m.End
		do(m)
	}
	return nil
}
