package rulefile

import (
	"path"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

// The layers, as policy.Ref names them.
const (
	Managed   = "managed"   // the administrator's, for everyone
	User      = "user"      // the user's own
	Workspace = "workspace" // a store: what decisions wrote for one workspace
)

// File is what one file says.
type File struct {
	Name  string // as given to Parse
	Layer string

	Mode         approval.Mode     // "" where not set
	Ceiling      approval.Mode     // "" where not set; managed files only
	AgentPresets []approval.Preset // that an agent may name besides read-only
	NoInherit    bool              // child sessions see no grants unless they ask
	MaxPending   int               // bound on what waits in one session; 0 where not set

	// Body has the rules with their places. What is not of the text alone is as
	// the file writes it: a leading ~/, links, spellings of hosts.
	Body policy.Layer

	// Workspace is the real path that a store is for; "" for the other layers.
	Workspace string
	// Created is when each grant of a store was given.
	Created map[approval.ID]time.Time

	lines map[policy.Ref]map[string]int // of the keys of each rule and tool
}

// maxPendingLimit bounds max_pending: each pending approval is walked when the
// policy changes.
const maxPendingLimit = 1_000_000

// setting is a key at the top of a file.
type setting struct {
	layers []string
	read   func(*reader, entry)
}

var everyone = []string{Managed, User}

// settings are the keys at the top.
var settings = map[string]setting{
	"mode": {everyone, func(r *reader, e entry) {
		r.file.Mode, _ = choice(r, e, approval.Modes)
	}},
	"ceiling": {[]string{Managed}, func(r *reader, e entry) {
		r.file.Ceiling, _ = choice(r, e, approval.Modes)
	}},
	"agent_presets": {everyone, (*reader).agentPresets},
	"inherit": {everyone, func(r *reader, e entry) {
		how, _ := choice(r, e, []string{"grants", "none"})
		r.file.NoInherit = how == "none"
	}},
	"max_pending": {everyone, func(r *reader, e entry) {
		r.file.MaxPending = r.number(e, 1, maxPendingLimit, "100")
	}},
	"protected": {everyone, func(r *reader, e entry) {
		r.file.Body.Protected = r.globs(e)
	}},
	"unprotected": {everyone, func(r *reader, e entry) {
		r.file.Body.Unprotected = r.globs(e)
	}},
	"workspace": {[]string{Workspace}, (*reader).workspace},
}

// Parse reads the text of one file of a layer. The error joins a *Fault for
// everything that is wrong with it, in the order of lines, and the File is
// then zero; beyond an error of syntax only what stands under later headers is
// read. Nothing but the text is looked at.
func Parse(name, layer string, text []byte) (File, error) {
	file := File{
		Name: name, Layer: layer,
		Created: map[approval.ID]time.Time{}, lines: map[policy.Ref]map[string]int{},
	}
	r := &reader{faults: &faults{file: name}, layer: layer, file: &file}
	doc := scan(text, r.faults)
	r.top(doc.top)
	index := map[string]int{}
	for _, t := range doc.tables {
		if r.more { // nothing more would be said
			break
		}
		index[t.name]++
		ref := policy.Ref{Layer: layer, File: name, Index: index[t.name], Line: t.line, Tool: t.name == "tool"}
		file.remember(ref, t)
		if ref.Tool {
			r.tool(t, ref)
		} else {
			r.rule(t, ref)
		}
	}
	if len(r.list) == 0 {
		strictly(text, r.faults)
	}
	if err := r.err(); err != nil {
		return File{}, err
	}
	return file, nil
}

// remember keeps the lines of a table's keys, for what is found out later.
func (f *File) remember(ref policy.Ref, t table) {
	lines := make(map[string]int, len(t.keys))
	for _, e := range t.keys {
		lines[e.name] = e.line
	}
	f.lines[ref] = lines
}

// top reads the keys above the first header.
func (r *reader) top(t table) {
	for _, e := range t.keys {
		s, found := settings[e.name]
		switch {
		case !found:
			r.stray(e)
		case slices.Contains(s.layers, r.layer):
			s.read(r, e)
		case r.layer == Workspace:
			r.add(e.line, "%s does not belong in the store of a workspace; set it in the user's policy file", e.name)
		case e.name == "ceiling":
			r.add(e.line, "ceiling binds everyone, and only the managed policy file may set it; leave it out here, or start the daemon with --ceiling")
		default:
			r.add(e.line, "%s belongs in the store of a workspace, which approvald writes; leave it out here", e.name)
		}
	}
	if r.layer == Workspace && !t.has("workspace") && !t.broken {
		r.add(0, "the store does not say which workspace it is for; write workspace = \"/its/path\" at its top, or remove the file to forget its grants")
	}
}

// stray reports a key that is not known at the top: one of a rule has probably
// lost its header.
func (r *reader) stray(e entry) {
	if _, ofRule := members[e.name]; ofRule && e.value.kind != unstable.Array && e.value.kind != unstable.InlineTable {
		r.add(e.line, "%s stands above the first header; write it under a [[rule]]", e.name)
		return
	}
	var known []string
	for name, s := range settings {
		if slices.Contains(s.layers, r.layer) {
			known = append(known, name)
		}
	}
	r.stranger(e, known)
}

func (r *reader) agentPresets(e entry) {
	names, ok := r.texts(e, `["workspace-write"]`)
	if !ok {
		return
	}
	for _, name := range names {
		preset := approval.Preset(name)
		if !slices.Contains(approval.Presets, preset) {
			known := make([]string, len(approval.Presets))
			for i, p := range approval.Presets {
				known[i] = string(p)
			}
			r.unknown(e, name, known)
			continue
		}
		r.file.AgentPresets = append(r.file.AgentPresets, preset)
	}
}

func (r *reader) workspace(e entry) {
	root, ok := r.text(e, `"/its/path"`)
	if ok && (!path.IsAbs(root) || path.Clean(root) != root) {
		r.add(e.line, "workspace = %s is not an absolute, clean path; a store is for the real path of one directory", quote(root))
		return
	}
	r.file.Workspace = root
}

// globs reads a list of patterns.
func (r *reader) globs(e entry) []string {
	list, _ := r.texts(e, `["secrets/**"]`)
	for _, glob := range list {
		if why := badGlob(glob); why != "" {
			r.add(e.line, "%s: %s", e.name, why)
		}
	}
	return list
}
