package fold

import "iter"

// layer is a map over another map: reads fall through to the one below,
// writes stay above. The bottom layer is an ordinary map. The zero value is
// an empty bottom layer.
type layer[K comparable, V comparable] struct {
	own   map[K]V
	under *layer[K, V]
}

// over returns an empty layer above l. Nothing written to it reaches l, and l
// must not be written to while it is in use.
func (l *layer[K, V]) over() layer[K, V] { return layer[K, V]{under: l} }

func (l *layer[K, V]) get(k K) (V, bool) {
	var none V
	for ; l != nil; l = l.under {
		if v, ok := l.own[k]; ok {
			return v, v != none
		}
	}
	return none, false
}

// put stores v, which must not be the zero value: that is how an upper layer
// remembers a deletion.
func (l *layer[K, V]) put(k K, v V) {
	if l.own == nil {
		l.own = make(map[K]V)
	}
	l.own[k] = v
}

func (l *layer[K, V]) drop(k K) {
	if l.under == nil {
		delete(l.own, k)
		return
	}
	var none V
	l.put(k, none)
}

// all yields what get would find, in no particular order.
func (l *layer[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		var none V
		for at := l; at != nil; at = at.under {
			for k, v := range at.own {
				if v == none || at.shadowedBy(l, k) {
					continue
				}
				if !yield(k, v) {
					return
				}
			}
		}
	}
}

// shadowedBy reports whether a layer from top down to, not including, l has
// an entry of its own for k.
func (l *layer[K, V]) shadowedBy(top *layer[K, V], k K) bool {
	for at := top; at != l; at = at.under {
		if _, ok := at.own[k]; ok {
			return true
		}
	}
	return false
}
