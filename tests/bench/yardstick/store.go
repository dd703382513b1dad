package yardstick

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"

	"go.etcd.io/bbolt"
)

// Store makes values durable. Its methods are safe for concurrent use, but for Close, which comes
// last.
type Store interface {
	// Commit returns when value is durable. The value stays the caller's.
	Commit(value []byte) error
	Close() error
}

// OpenUpdate opens a bare bbolt file in dir in which every Commit is a transaction of its own.
func OpenUpdate(dir string) (Store, error) {
	db, err := openBolt(dir)
	return &update{db: db}, err
}

type update struct {
	db  *bbolt.DB
	seq uint64 // of the last value; guarded by bbolt's lock of writers
}

func (u *update) Commit(value []byte) error {
	return u.db.Update(func(tx *bbolt.Tx) error {
		u.seq++
		return put(tx, u.seq, value)
	})
}

func (u *update) Close() error { return u.db.Close() }

// OpenFdatasync opens a plain file in dir to which every Commit appends and syncs.
func OpenFdatasync(dir string) (Store, error) {
	file, err := os.Create(filepath.Join(dir, "raw"))
	return &plain{file: file}, err
}

type plain struct {
	mu   sync.Mutex
	file *os.File
}

func (p *plain) Commit(value []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.file.Write(value); err != nil {
		return err
	}
	return fdatasync(p.file)
}

func (p *plain) Close() error { return p.file.Close() }

var bucket = []byte("log")

// openBolt opens a file with the options that serve approvald's log best (perf §2.1), so that a
// ratio tells what approvald adds and not what an option saves.
func openBolt(dir string) (*bbolt.DB, error) {
	db, err := bbolt.Open(filepath.Join(dir, "bare.db"), 0o600, &bbolt.Options{
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: 1 << 30,
	})
	if err != nil {
		return nil, err
	}
	return db, db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket(bucket)
		return err
	})
}

func put(tx *bbolt.Tx, seq uint64, value []byte) error {
	b := tx.Bucket(bucket)
	b.FillPercent = 0.95
	return b.Put(binary.BigEndian.AppendUint64(nil, seq), value)
}
