package model

// CountTokens estimates the tokens of a request: ceil(bytes/3.5) plus a few a message; good for limits, not for bills.
//
// 3.5 bytes a token lies between English prose (about 4.5) and dense code or JSON (about 3) for the byte-pair
// vocabularies in use; four tokens a message, call, result and tool stand for the markup around them.
// A picture counts as Image.Tokens says.
func CountTokens(req Request) int64 {
	bytes, marks, pictures := len(req.System), 1, int64(0)
	for _, t := range req.Tools {
		bytes += len(t.Name) + len(t.Description) + len(t.Schema)
		marks++
	}
	for _, m := range req.Messages {
		b, n := messageSize(m)
		bytes, marks = bytes+b, marks+n
		for _, i := range m.Images {
			pictures += i.Tokens()
		}
	}
	return Tokens(bytes) + 4*int64(marks) + pictures
}

// messageSize gives the bytes of a message and the number of its marked-up parts.
func messageSize(m Message) (bytes, marks int) {
	bytes, marks = len(m.Text)+len(m.Thinking), 1+len(m.Calls)+len(m.Results)
	for _, c := range m.Calls {
		bytes += len(c.Name) + len(c.Args)
	}
	for _, r := range m.Results {
		bytes += len(r.Text)
	}
	return bytes, marks
}

// Tokens estimates the tokens of a text of so many bytes, as CountTokens does: ceil(bytes/3.5) in integers.
func Tokens(bytes int) int64 { return (int64(bytes)*2 + 6) / 7 }
