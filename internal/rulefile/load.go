package rulefile

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

// Files are the places of the policy, as absolute paths. What is missing is
// empty; "" names nothing.
type Files struct {
	Managed string // the administrator's file, /etc/approvald/policy.toml
	User    string // the user's file
	Stores  string // the directory of the workspaces' stores
}

// Options are what reading needs beside the text. The zero value reads policies
// that lie in memory and name no home.
type Options struct {
	// Home is what ~/ stands for, absolute; where it is "", such patterns are
	// faults.
	Home string
	// Pattern gives a glob with the links of its fixed part followed, "" where
	// that changes nothing (inspect.Inspector.Pattern); nil follows none.
	Pattern func(glob string) string
	// Own are the real paths of approvald's own directories and files, as in
	// policy.Setup.
	Own []string
	// ManagedOwner is the user id that the managed file and its directory must
	// belong to: 0 but for tests.
	ManagedOwner int
}

// Loaded is a policy in force. It is immutable.
type Loaded struct {
	Policy *policy.Policy
	Setup  policy.Setup // that Policy was compiled from

	Mode       approval.Mode // the user's, else the managed one; "" where neither sets it
	Ceiling    approval.Mode // "" where no managed file sets it
	MaxPending int           // the smaller of those set; 0 where none is

	// Layers says what was read, in order: managed, user, and each store.
	Layers []Summary

	state state // what it was read from
}

// Summary is what became of one file, for "approvald policy check".
type Summary struct {
	Layer, File  string
	Workspace    string // of a store; "" for others, and where it could not be read
	Found        bool
	Rules, Tools int
	Settings     []string // what it sets besides, as "key value", in the order of the guide
	Err          error    // joins a *Fault for everything that is wrong with it; nil
}

// Counts says how much each file holds, for a log line.
func (l *Loaded) Counts() []any {
	var counts []any
	for _, s := range l.Layers {
		text := "missing"
		if s.Found {
			text = fmt.Sprintf("%d rules, %d tools", s.Rules, s.Tools)
		}
		counts = append(counts, slog.String(s.File, text))
	}
	return counts
}

// Source is a policy file that lies in memory.
type Source struct {
	Layer string // Managed, User or Workspace
	Name  string // to name it by in messages and explanations
	Text  []byte
}

// LoadText makes a policy of sources, looking at nothing outside but through
// opts. The error joins a *Fault for everything that is wrong with any of them,
// and no policy is given then.
func LoadText(sources []Source, opts Options) (*Loaded, error) {
	loaded, _, err := assemble(sources, opts)
	return loaded, err
}

// assemble is LoadText with a summary of each source, which is given with an
// error too.
func assemble(sources []Source, opts Options) (*Loaded, []Summary, error) {
	summaries := make([]Summary, len(sources))
	files := make([]File, len(sources))
	for i, source := range sources {
		file, err := Parse(source.Name, source.Layer, source.Text)
		if err == nil {
			err = resolve(&file, opts)
		}
		files[i] = file
		summaries[i] = Summary{
			Layer: source.Layer, File: source.Name, Workspace: file.Workspace, Found: true,
			Rules: len(file.Body.Rules), Tools: len(file.Body.Tools), Settings: file.settings(), Err: err,
		}
	}
	if err := refusal(summaries); err != nil {
		return nil, summaries, err
	}
	loaded, err := merge(files, opts.Own)
	if err == nil {
		loaded.Policy, err = policy.Compile(loaded.Setup)
	}
	if err != nil {
		nobody := blame(err, files, summaries)
		return nil, summaries, errors.Join(refusal(summaries), nobody)
	}
	loaded.Layers = summaries
	return loaded, summaries, nil
}

// settings are what a file sets besides rules and tools.
func (f File) settings() (set []string) {
	add := func(key string, values ...string) {
		if text := strings.Join(values, ", "); text != "" {
			set = append(set, key+" "+text)
		}
	}
	add("mode", string(f.Mode))
	add("ceiling", string(f.Ceiling))
	presets := make([]string, len(f.AgentPresets))
	for i, p := range f.AgentPresets {
		presets[i] = string(p)
	}
	add("agent_presets", presets...)
	if f.NoInherit {
		add("inherit", "none")
	}
	if f.MaxPending > 0 {
		add("max_pending", strconv.Itoa(f.MaxPending))
	}
	add("protected", f.Body.Protected...)
	add("unprotected", f.Body.Unprotected...)
	return set
}

// refusal joins the errors of all files.
func refusal(summaries []Summary) error {
	var errs []error
	for _, s := range summaries {
		errs = append(errs, s.Err)
	}
	return errors.Join(errs...)
}

// merge puts the files together (policy.md "Files"): lists are concatenated.
// Of what can have one value only, the user's mode replaces the managed one,
// since the ceiling bounds both; of the rest, the stricter one holds.
func merge(files []File, own []string) (*Loaded, error) {
	out := &Loaded{Setup: policy.Setup{Own: own}}
	stores := map[string]string{}
	var errs []error
	for _, f := range files {
		if f.Layer == Workspace {
			if other, twice := stores[f.Workspace]; twice {
				errs = append(errs, &Fault{File: f.Name, Why: fmt.Sprintf("it is a second store of %s, beside %s; remove one of the two", f.Workspace, other)})
				continue
			}
			stores[f.Workspace] = f.Name
			if out.Setup.Stores == nil {
				out.Setup.Stores = map[string]policy.Layer{}
			}
			out.Setup.Stores[f.Workspace] = f.Body
			continue
		}
		out.Setup.Layers = append(out.Setup.Layers, f.Body)
		out.Setup.NoInherit = out.Setup.NoInherit || f.NoInherit
		for _, preset := range f.AgentPresets {
			if !slices.Contains(out.Setup.AgentPresets, preset) {
				out.Setup.AgentPresets = append(out.Setup.AgentPresets, preset)
			}
		}
		if f.Mode != "" {
			out.Mode = f.Mode
		}
		if f.Ceiling != "" {
			out.Ceiling = f.Ceiling
		}
		if f.MaxPending != 0 && (out.MaxPending == 0 || f.MaxPending < out.MaxPending) {
			out.MaxPending = f.MaxPending
		}
	}
	return out, errors.Join(errs...)
}

// blame adds what Compile or merge found wrong to the summary of the file that
// it stands in, with the line of the key, and gives back what stands in none.
func blame(err error, files []File, summaries []Summary) error {
	var rest []error
	for _, each := range flatten(err) {
		fault := &Fault{Why: each.Error(), Err: each}
		var rule *policy.RuleError
		switch named := (*Fault)(nil); {
		case errors.As(each, &named):
			fault = named
		case errors.As(each, &rule):
			fault = &Fault{File: rule.Ref.File, Line: rule.Ref.Line, Why: rule.Why, Err: rule}
		}
		i := slices.IndexFunc(files, func(f File) bool { return f.Name == fault.File })
		if i < 0 {
			rest = append(rest, each)
			continue
		}
		if rule != nil {
			if line, known := files[i].lines[rule.Ref][rule.Key]; known {
				fault.Line = line
			}
		}
		summaries[i].Err = errors.Join(summaries[i].Err, fault)
	}
	return errors.Join(rest...)
}

// flatten gives the errors that were joined into err.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error }) // the join itself, not one deep inside
	if !ok {
		return []error{err}
	}
	var all []error
	for _, each := range joined.Unwrap() {
		all = append(all, flatten(each)...)
	}
	return all
}

// resolve brings what is not of the text alone into its final form: the home
// in patterns, and the links in their fixed part.
func resolve(f *File, opts Options) error {
	faults := &faults{file: f.Name}
	for i := range f.Body.Rules {
		rule := &f.Body.Rules[i]
		var err error
		if rule.Glob, rule.Resolved, err = opts.glob(rule.Glob); err != nil {
			faults.add(f.lines[rule.Ref]["path_glob"], "path_glob: %v", err)
		}
	}
	f.Body.Protected = opts.globs(faults, f.Body.Protected, "protected", true)
	f.Body.Unprotected = opts.globs(faults, f.Body.Unprotected, "unprotected", false)
	return faults.err()
}

// globs resolves a list. Where all may be matched that a glob leads to, links
// add globs; where less is safer, they do not.
func (o Options) globs(faults *faults, list []string, key string, all bool) []string {
	var out []string
	for _, glob := range list {
		written, resolved, err := o.glob(glob)
		if err != nil {
			faults.add(0, "%s: %v", key, err)
			continue
		}
		out = append(out, written)
		if all && resolved != "" {
			out = append(out, resolved)
		}
	}
	return out
}

// glob gives a glob with the home filled in, and the same with links followed;
// "" where that is no other.
func (o Options) glob(glob string) (written, resolved string, err error) {
	if rest, home := strings.CutPrefix(glob, "~/"); home {
		if o.Home == "" {
			return "", "", fmt.Errorf("%s begins with ~/, and there is no home directory here; write the path", quote(glob))
		}
		glob = strings.TrimSuffix(policy.EscapeGlob(o.Home), "/") + "/" + rest
	}
	if o.Pattern == nil {
		return glob, "", nil
	}
	return glob, o.Pattern(glob), nil
}
