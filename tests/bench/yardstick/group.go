package yardstick

import "go.etcd.io/bbolt"

// OpenGroupCommit opens a bare bbolt file in dir with a committer before it that makes one
// transaction of all that queued during the last one. It waits for nobody: no timer and no
// yielding, which is what approvald's writer may be better at (perf fact 3).
func OpenGroupCommit(dir string) (Store, error) {
	db, err := openBolt(dir)
	if err != nil {
		return nil, err
	}
	g := &group{db: db, queue: make(chan waiting, 4096), ended: make(chan struct{})}
	go g.run()
	return g, nil
}

type group struct {
	db    *bbolt.DB
	queue chan waiting
	ended chan struct{}
}

type waiting struct {
	value []byte
	done  chan error
}

func (g *group) Commit(value []byte) error {
	w := waiting{value, make(chan error, 1)}
	g.queue <- w
	return <-w.done
}

func (g *group) Close() error {
	close(g.queue)
	<-g.ended
	return g.db.Close()
}

func (g *group) run() {
	defer close(g.ended)
	seq := uint64(0)
	for first := range g.queue {
		batch := g.gather(first)
		err := g.db.Update(func(tx *bbolt.Tx) error {
			for i, w := range batch {
				if err := put(tx, seq+uint64(i)+1, w.value); err != nil {
					return err
				}
			}
			return nil
		})
		seq += uint64(len(batch))
		for _, w := range batch {
			w.done <- err
		}
	}
}

// gather adds what is queued right now.
func (g *group) gather(first waiting) []waiting {
	batch := []waiting{first}
	for {
		select {
		case w, more := <-g.queue:
			if !more {
				return batch
			}
			batch = append(batch, w)
		default:
			return batch
		}
	}
}
