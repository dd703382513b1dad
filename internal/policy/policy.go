package policy

import (
	"errors"
	"maps"
	"slices"

	"github.com/approvald/approvald/internal/approval"
)

// Policy is everything in force that is not of one session: it is compiled
// once, immutable, and safe for concurrent use. The zero value has no rules.
type Policy struct {
	everywhere *book
	stores     map[string]*book // by the real path of their workspace
	own        []string
	presets    []approval.Preset
	noInherit  bool
	denies     bool
}

// Compile makes a policy of its parts. Its error joins a *RuleError for every
// rule that is not well formed; the policy is then nil.
func Compile(from Setup) (*Policy, error) {
	p := &Policy{
		everywhere: newBook(),
		stores:     make(map[string]*book, len(from.Stores)),
		own:        slices.Clone(from.Own),
		presets:    slices.Clone(from.AgentPresets),
		noInherit:  from.NoInherit,
	}
	var faults []error
	for i, layer := range from.Layers {
		faults = append(faults, p.everywhere.addLayer(layer, i+1)...)
	}
	for _, workspace := range slices.Sorted(maps.Keys(from.Stores)) {
		store := newBook()
		faults = append(faults, store.addLayer(from.Stores[workspace], 0)...)
		p.stores[workspace] = store
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	for _, layer := range slices.Concat(from.Layers, slices.Collect(maps.Values(from.Stores))) {
		p.denies = p.denies || slices.ContainsFunc(layer.Rules, func(r Rule) bool { return r.Effect == Deny })
	}
	return p, nil
}

// Denies reports whether any rule denies. Where none does, what was not denied
// when it was opened is not denied now.
func (p *Policy) Denies() bool { return p.denies }

// AgentMayChoose reports whether a session/start of an agent may name preset.
// read-only, the least of them, always may be.
func (p *Policy) AgentMayChoose(preset approval.Preset) bool {
	return preset == approval.ReadOnly || slices.Contains(p.presets, preset)
}

// NoInherit reports whether a child session sees no grants of its ancestors
// where its session/start does not say.
func (p *Policy) NoInherit() bool { return p.noInherit }
