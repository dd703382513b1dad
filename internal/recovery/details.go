package recovery

import (
	"fmt"
	"slices"

	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/record"
)

// Details folds the records of the session whose last record is at last, found
// from there back: what Outline has left out of it.
func Details(l Log, last uint64) (*fold.Details, error) {
	var seqs []uint64
	var values [][]byte
	err := l.Walk(last, record.Prev, func(seq uint64, value []byte) error {
		seqs, values = append(seqs, seq), append(values, value)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the session that ends with record %d: %w", last, err)
	}
	details := new(fold.Details)
	for i, value := range slices.Backward(values) {
		r, err := record.Decode(seqs[i], value)
		if err != nil {
			return nil, err
		}
		details.Apply(r)
	}
	return details, nil
}
