package corpus

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/approvald/approvald/wire"
)

// policyText writes rules as the text of a policy file, member by member, whatever they say: what a
// policy file has no key or value for is the loader's to refuse.
func policyText(rules []Rule) (string, error) {
	var out strings.Builder
	for _, rule := range rules {
		var members []ruleMember
		if err := json.Unmarshal(rule, (*ruleMembers)(&members)); err != nil {
			return "", fmt.Errorf("rule %s: %w", rule, err)
		}
		header := "[[rule]]\n"
		for _, m := range members {
			if m.name == "mode" { // of a tool
				header = "[[tool]]\n"
			}
		}
		out.WriteString(header)
		for _, m := range members {
			if header == "[[tool]]\n" && m.name == "kind" {
				continue
			}
			value := m.value
			if m.name == "access" {
				value = translated(value)
			}
			fmt.Fprintf(&out, "%s = %s\n", m.name, tomlValue(value))
		}
	}
	return out.String(), nil
}

// translated is the value of access in approvald's words, as for subjects.
func translated(value jsontext.Value) jsontext.Value {
	var word string
	if json.Unmarshal(value, &word) != nil {
		return value
	}
	return jsontext.Value(strconv.Quote(access(word)))
}

// ruleMember is one member of a rule; ruleMembers keeps their order.
type ruleMember struct {
	name  string
	value jsontext.Value
}

type ruleMembers []ruleMember

// UnmarshalJSON reads an object.
func (r *ruleMembers) UnmarshalJSON(text []byte) error {
	in := jsontext.NewDecoder(bytes.NewReader(text))
	if begin, err := in.ReadToken(); err != nil || begin.Kind() != jsontext.KindBeginObject {
		return fmt.Errorf("a rule is an object")
	}
	for in.PeekKind() != jsontext.KindEndObject {
		name, err := in.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		value, err := in.ReadValue()
		if err != nil {
			return err
		}
		*r = append(*r, ruleMember{key, value.Clone()})
	}
	return nil
}

// tomlValue writes a JSON value as TOML would. The two agree in texts (TOML has JSON's escapes, and
// control characters are always escaped), numbers, truth values and arrays of them; an object becomes
// an inline table; null, which TOML does not have, is written as it is.
func tomlValue(value jsontext.Value) string {
	switch value.Kind() {
	case jsontext.KindString:
		var text string
		if json.Unmarshal(value, &text) != nil {
			return string(value)
		}
		return tomlText(text)
	case jsontext.KindBeginArray:
		var list []jsontext.Value
		if json.Unmarshal(value, &list) != nil {
			return string(value)
		}
		texts := make([]string, len(list))
		for i, one := range list {
			texts[i] = tomlValue(one)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case jsontext.KindBeginObject:
		var members ruleMembers
		if json.Unmarshal(value, &members) != nil {
			return string(value)
		}
		texts := make([]string, len(members))
		for i, m := range members {
			texts[i] = tomlText(m.name) + " = " + tomlValue(m.value)
		}
		return "{" + strings.Join(texts, ", ") + "}"
	default:
		return string(value)
	}
}

// tomlText is a basic string of TOML.
func tomlText(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&out, `\u%04X`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// setRules puts rules in force beside the case's own. approvald has one policy for every session.
type setRules struct {
	Session string `json:"session"`
	Rules   []Rule `json:"rules"`
}

func (s *setRules) do(ctx context.Context, r *run) (seen, error) { return r.addRules(ctx, s.Rules) }

// addRules changes the policy file, while the daemon runs.
func (r *run) addRules(ctx context.Context, rules []Rule) (seen, error) {
	r.added = append(r.added, rules...)
	text, err := policyText(append(append([]Rule(nil), r.c.Input.Rules...), r.added...))
	if err != nil {
		return seen{}, err
	}
	return r.policy(ctx, text)
}

// loadPolicy puts another text in force: a policy file, as whoever writes it would have it.
type loadPolicy struct {
	Raw string `json:"raw"`
}

func (l *loadPolicy) do(ctx context.Context, r *run) (seen, error) { return r.policy(ctx, l.Raw) }

// policy changes the text of the policy, and reports whether it was taken up: a text that is not is
// told to reviewers, and the last good one stays.
func (r *run) policy(ctx context.Context, text string) (seen, error) {
	if err := r.control(ctx, object{{"op", "policy"}, {"text", text}}); err != nil {
		return seen{}, err
	}
	out := seen{word: loaded}
	if why := r.world.Refused(); why != nil {
		out = seen{word: badPolicy, detail: why.Error()}
	}
	return out, nil
}

// setMode selects a session's mode.
type setMode struct {
	Session string `json:"session"`
	Mode    string `json:"mode"`
}

func (m *setMode) do(ctx context.Context, r *run) (seen, error) {
	s, err := r.start(ctx, m.Session)
	if err != nil {
		return seen{}, err
	}
	a, err := r.ask(ctx, r.operator(), wire.MethodSessionSetApprovalMode, object{{"commandId", r.command("")}, {"sessionId", s.id}, {"mode", m.Mode}})
	if err != nil {
		return seen{}, err
	}
	if out, refused := a.refused(); refused {
		return out, nil
	}
	return seen{word: accepted}, nil
}
