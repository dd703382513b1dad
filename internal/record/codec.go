package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	strict "github.com/go-json-experiment/json" // half the time of encoding/json
)

// Encode writes a record: header and body, checksummed and chained to prev,
// the link of the record before it (ChainOf its bytes; zero for the first).
func Encode(h Header, body Body, prev Chain) ([]byte, error) {
	s, ok := kinds[body.Kind()]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrKind, body.Kind())
	}
	buf := bytes.NewBuffer(make([]byte, HeaderSize)) // the encoder writes once, which sizes it
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return nil, fmt.Errorf("encode %s: %w", s.name, err)
	}
	value := bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	h.Version, h.Kind, h.Chain = s.version, body.Kind(), prev
	h.put(value)
	return value, nil
}

// CheckHeader reads the header of the record that stands at seq and checks all
// that can be checked without decoding its body: checksum, kind, version. The
// header comes with the error where there is one. Every error names the
// sequence.
func CheckHeader(seq uint64, value []byte) (Header, error) {
	h, err := DecodeHeader(value)
	if err != nil {
		return Header{}, fmt.Errorf("record %d: %w", seq, err)
	}
	if got, want := checksum(value), crcOf(value); got != want {
		return h, fmt.Errorf("record %d (%s): %w: %08x, stored %08x", seq, h.Kind, ErrCRC, got, want)
	}
	s, ok := kinds[h.Kind]
	if !ok {
		return h, fmt.Errorf("record %d: %w: %s; run the version of approvald that wrote it", seq, ErrKind, h.Kind)
	}
	if h.Version > s.version {
		return h, fmt.Errorf("record %d (%s): %w: version %d, this one knows %d; run a newer approvald",
			seq, h.Kind, ErrVersion, h.Version, s.version)
	}
	return h, nil
}

// Decode reads the record that stands at seq: what CheckHeader checks,
// upcasters, body. Every error names the sequence.
func Decode(seq uint64, value []byte) (Record, error) {
	h, err := CheckHeader(seq, value)
	if err != nil {
		return Record{}, err
	}
	return DecodeBody(seq, h, value)
}

// DecodeBody is the rest of Decode for a record whose header CheckHeader has
// given.
func DecodeBody(seq uint64, h Header, value []byte) (Record, error) {
	s := kinds[h.Kind]
	raw, err := upcasters.raise(h.Kind, h.Version, s.version, value[HeaderSize:])
	if err != nil {
		return Record{}, fmt.Errorf("record %d (%s): %w", seq, h.Kind, err)
	}
	body := s.empty()
	if err := unmarshal(raw, body); err != nil {
		return Record{}, fmt.Errorf("record %d (%s): decode its body: %w", seq, h.Kind, err)
	}
	return Record{Seq: seq, Header: h, Body: body}, nil
}

var errNotStrict = errors.New("it has a name twice, or text that is no UTF-8")

// unmarshal decodes a body. What cannot be decoded is told in the words of
// encoding/json: the decoder that is quick words its errors differently in each
// process, and whoever reads a damaged log must be told the same.
func unmarshal(raw []byte, body Body) error {
	if strict.Unmarshal(raw, body) == nil {
		return nil
	}
	if err := json.Unmarshal(raw, body); err != nil {
		return err
	}
	return errNotStrict
}
