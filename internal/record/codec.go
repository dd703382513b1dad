package record

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// Decode reads the record that stands at seq: checksum, kind, version,
// upcasters, body. Every error names the sequence.
func Decode(seq uint64, value []byte) (Record, error) {
	h, err := DecodeHeader(value)
	if err != nil {
		return Record{}, fmt.Errorf("record %d: %w", seq, err)
	}
	if got, want := checksum(value), crcOf(value); got != want {
		return Record{}, fmt.Errorf("record %d (%s): %w: %08x, stored %08x", seq, h.Kind, ErrCRC, got, want)
	}
	s, ok := kinds[h.Kind]
	if !ok {
		return Record{}, fmt.Errorf("record %d: %w: %s; run the version of approvald that wrote it", seq, ErrKind, h.Kind)
	}
	raw, err := upcasters.raise(h.Kind, h.Version, s.version, value[HeaderSize:])
	if err != nil {
		return Record{}, fmt.Errorf("record %d (%s): %w", seq, h.Kind, err)
	}
	body := s.empty()
	if err := json.Unmarshal(raw, body); err != nil {
		return Record{}, fmt.Errorf("record %d (%s): decode its body: %w", seq, h.Kind, err)
	}
	return Record{Seq: seq, Header: h, Body: body}, nil
}
