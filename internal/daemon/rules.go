package daemon

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/decide"
	"github.com/approvald/approvald/internal/fold"
	"github.com/approvald/approvald/internal/inspect"
	"github.com/approvald/approvald/internal/policy"
	"github.com/approvald/approvald/internal/rpc"
	"github.com/approvald/approvald/internal/rulefile"
	"github.com/approvald/approvald/internal/sequencer"
)

// rules is the policy of a daemon: what is in force, and the stores that its
// persistent grants are written into. The writer asks it for the policy; it asks
// the writer to evaluate again what waits when that has changed.
type rules struct {
	cfg     *Config
	opts    rulefile.Options
	store   *rulefile.Store // nil: an ephemeral daemon, which writes nothing
	current atomic.Pointer[rulefile.Loaded]
	mu      sync.Mutex // held while current is replaced by what was made of it
	keeper  *keeper
	watched chan struct{} // closed when the watch has ended; nil without one
	unwatch context.CancelFunc

	seq    *sequencer.Sequencer
	server *rpc.Server
	log    *slog.Logger
}

// openRules reads the policy, without which no daemon starts, and seals with it
// what the configuration left open.
func openRules(cfg *Config, look *inspect.Inspector) (*rules, error) {
	r := &rules{cfg: cfg, opts: ruleOptions(cfg, look), log: cfg.Logger}
	if cfg.Policy.Stores != "" {
		r.store = rulefile.NewStore(cfg.Policy.Stores)
		if err := r.store.Tidy(); err != nil { // they are in nobody's way
			r.log.Warn("what an earlier write of rules left could not be removed", slog.Any("cause", err))
		}
	}
	loaded, err := r.load()
	if err != nil {
		return nil, fmt.Errorf("the policy cannot be read: %w", err)
	}
	if err := cfg.seal(loaded); err != nil {
		return nil, err
	}
	r.current.Store(loaded)
	return r, nil
}

// ruleOptions are what reading rules needs to know of this machine.
func ruleOptions(cfg *Config, look *inspect.Inspector) rulefile.Options {
	opts := rulefile.Options{
		Pattern: look.Pattern,
	}
	if len(cfg.Homes) > 0 {
		opts.Home = cfg.Homes[0]
	}
	for _, dir := range cfg.own() {
		if at, err := look.File(dir, ""); err == nil {
			dir = at.Path
		}
		opts.Own = append(opts.Own, dir)
	}
	return opts
}

// load reads everything from the beginning.
func (r *rules) load() (*rulefile.Loaded, error) {
	base, err := r.base()
	if err != nil {
		return nil, err
	}
	stores, err := r.stores()
	if err != nil {
		return nil, err
	}
	return with(base, stores)
}

// stores reads the rules that decisions wrote. Where the file system is not the
// machine's, their files are told by the name that clients know the state
// directory by, so that a recording does not name the place it was made in.
func (r *rules) stores() (map[string]policy.Layer, error) {
	loaded, err := rulefile.Load(rulefile.Files{Stores: r.cfg.Policy.Stores}, r.opts)
	switch {
	case err != nil:
		return nil, err
	case r.cfg.FS == nil:
		return loaded.Setup.Stores, nil
	}
	stores := make(map[string]policy.Layer)
	for root, layer := range loaded.Setup.Stores {
		layer.Rules = slices.Clone(layer.Rules)
		for i := range layer.Rules {
			if rest, found := strings.CutPrefix(layer.Rules[i].Ref.File, r.cfg.StateDir); found {
				layer.Rules[i].Ref.File = r.cfg.Identity.Home + rest
			}
		}
		stores[root] = layer
	}
	return stores, nil
}

// base is the policy without the stores.
func (r *rules) base() (*rulefile.Loaded, error) {
	if r.cfg.PolicyText != nil {
		return rulefile.LoadText(r.cfg.PolicyText, r.opts)
	}
	return rulefile.Load(r.watchedFiles(), r.opts)
}

// watchedFiles are the files that people write. The stores are this daemon's
// own: it knows what it has written, and reads them at the start.
func (r *rules) watchedFiles() rulefile.Files {
	return rulefile.Files{Managed: r.cfg.Policy.Managed, User: r.cfg.Policy.User}
}

// with is a policy with other stores.
func with(l *rulefile.Loaded, stores map[string]policy.Layer) (*rulefile.Loaded, error) {
	next := *l
	next.Setup.Stores = stores
	var err error
	next.Policy, err = policy.Compile(next.Setup)
	return &next, err
}

// attach gives the rules the two that they tell of changes, watches the files,
// and takes up what an earlier daemon did not finish.
func (r *rules) attach(seq *sequencer.Sequencer, server *rpc.Server) {
	r.seq, r.server = seq, server
	r.keeper = newKeeper(r.write)
	if files := r.watchedFiles(); r.cfg.PolicyText == nil && files != (rulefile.Files{}) {
		var ctx context.Context
		ctx, r.unwatch = context.WithCancel(context.Background())
		r.watched = make(chan struct{})
		go r.watch(ctx, files)
	}
}

func (r *rules) watch(ctx context.Context, files rulefile.Files) {
	defer close(r.watched)
	if err := rulefile.Watch(ctx, files, r.opts, r.current.Load(), r.reloaded); err != nil {
		r.log.Error("changes of the policy files take effect at the next start only", slog.Any("cause", err))
	}
}

// policy is what is in force now. It is safe for concurrent use.
func (r *rules) policy() *policy.Policy { return r.current.Load().Policy }

// reloaded takes up what the files say now; where they cannot be read, the last
// good policy stays in force, and everyone is told (policy.md "Files").
func (r *rules) reloaded(loaded *rulefile.Loaded, err error) {
	if err != nil {
		r.log.Error("the policy files have changed and cannot be read; the last good policy stays in force", slog.Any("cause", err))
		r.server.PolicyChanged(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	loaded, err = with(loaded, r.current.Load().Setup.Stores)
	if err != nil { // the stores compiled before, and layers do not touch one another
		r.log.Error("the policy cannot be put together", slog.Any("cause", err))
		return
	}
	r.log.Info("the policy was read again", loaded.Counts()...)
	if was := r.current.Load(); loaded.Mode != was.Mode || loaded.Ceiling != was.Ceiling || loaded.MaxPending != was.MaxPending {
		r.log.Warn("mode, ceiling and max_pending are sealed at the start; the new ones hold from the next start on")
	}
	r.replace(loaded)
	r.server.PolicyChanged(nil)
}

// replace puts a policy in force and has what waits evaluated by it. What is
// decided from here on is decided by the new policy, and what was decided by the
// old one is in the view when the writer has come by once more.
func (r *rules) replace(loaded *rulefile.Loaded) {
	r.current.Store(loaded)
	if r.seq.Carry(decide.PolicyChanged{}) != nil {
		return // the daemon ends; the next one evaluates everything afresh
	}
	var waiting []decide.Command
	r.seq.View(func(state *fold.State) {
		for _, session := range waitingSessions(state) {
			waiting = append(waiting, decide.PolicyChanged{Session: session.ID})
		}
	})
	for _, c := range waiting {
		if r.seq.Enqueue(c) != nil {
			return
		}
	}
}

// waitingSessions are the sessions in which something is pending, in the order in
// which they began.
func waitingSessions(state *fold.State) []*fold.Session {
	return sessionsOf(state, func(s *fold.Session) bool { return s.Pending > 0 })
}

// sessionsOf are the sessions that keep holds for, in the order in which they began.
func sessionsOf(state *fold.State, keep func(*fold.Session) bool) (kept []*fold.Session) {
	for s := range state.Sessions() {
		if keep(s) {
			kept = append(kept, s)
		}
	}
	slices.SortFunc(kept, func(a, b *fold.Session) int { return cmp.Compare(a.First, b.First) })
	return kept
}

// holds reports whether the rule of a grant is in force by a store, as it was
// given: one that was changed by hand is another rule.
func (r *rules) holds(grant approval.Grant) bool {
	rule, ok := r.stored(grant.ID)
	if !ok {
		return false
	}
	rule.Grant, rule.Resolved = approval.ID{}, ""
	text, err := policy.EncodeRule(rule)
	return err == nil && string(text) == grant.Rule
}

// stored is the rule that a store has of a grant.
func (r *rules) stored(grant approval.ID) (policy.Rule, bool) {
	for _, layer := range r.current.Load().Setup.Stores {
		for _, rule := range layer.Rules {
			if rule.Grant == grant {
				return rule, true
			}
		}
	}
	return policy.Rule{}, false
}

// write carries out changes of the stores, puts them in force together, and tells
// the log what became of each. It runs on the keeper's goroutine, which is the
// only one that changes stores.
func (r *rules) write(changes []change) {
	outcome := make([]error, len(changes))
	written := false
	for i, c := range changes {
		outcome[i] = r.change(c)
		written = written || outcome[i] == nil
	}
	var unread error
	if written {
		unread = r.reread()
	}
	for i, c := range changes {
		err := cmp.Or(outcome[i], unread)
		if err != nil { // the next start tries again
			r.log.Error("a workspace's policy store could not be written", slog.String("grant", c.grant.ID.String()), slog.Any("cause", err))
		}
		if !c.revoked {
			_ = r.seq.Enqueue(decide.RuleStored{Grant: c.grant.ID, Err: err}) // refused at the daemon's end: the next start tells
		}
	}
}

// ReplacePolicyText puts another text in force, as a change of the files would;
// where it cannot be read, the error is said, and the last good policy stays. It
// is for daemons whose policy is a text.
func (d *Daemon) ReplacePolicyText(text []rulefile.Source) error {
	loaded, err := rulefile.LoadText(text, d.rules.opts)
	d.rules.reloaded(loaded, err)
	return err
}

// change makes the store hold the rule of a grant, or hold it no more.
func (r *rules) change(c change) error {
	if r.store == nil {
		return errEphemeral
	}
	if c.revoked {
		return r.store.Remove(c.grant.Root, c.grant.ID)
	}
	rule, err := policy.DecodeRule([]byte(c.grant.Rule))
	if err != nil {
		return err
	}
	return r.store.Add(c.grant.Root, rule, c.grant.ID, c.grant.CreatedAt)
}

// reread puts in force what the stores hold now.
func (r *rules) reread() error {
	stores, err := r.stores()
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	loaded, err := with(r.current.Load(), stores)
	if err != nil {
		return err
	}
	r.replace(loaded)
	return nil
}
