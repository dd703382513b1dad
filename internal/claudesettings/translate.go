package claudesettings

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/approvald/approvald/internal/approval"
	"github.com/approvald/approvald/internal/policy"
)

// effects are the lists as effects.
var effects = map[string]policy.Effect{"allow": policy.Allow, "ask": policy.Ask, "deny": policy.Deny}

// call is a rule taken apart: Tool or Tool(specifier).
type call struct {
	effect    policy.Effect
	tool      string
	specifier string
	bare      bool   // it is about every use of the tool
	base      string // as in Place
}

// allows reports whether the rule is one that widens: what it covers must then
// be read narrowly, and of other rules widely.
func (c call) allows() bool { return c.effect == policy.Allow }

// tools are Claude Code's tools that do what some kind of rule is about.
var tools = map[string]func(call) Rule{
	"Bash":     bash,
	"Read":     func(c call) Rule { return files(c, approval.Read) },
	"Edit":     func(c call) Rule { return files(c, approval.Write) },
	"WebFetch": webFetch,

	// Their paths are accepted and never looked at, and all of them are covered
	// by Read and Edit.
	"Write":        func(c call) Rule { return partly(c, "Edit", approval.Write) },
	"MultiEdit":    func(c call) Rule { return partly(c, "Edit", approval.Write) },
	"NotebookEdit": func(c call) Rule { return partly(c, "Edit", approval.Write) },
	"Grep":         func(c call) Rule { return partly(c, "Read", approval.Read) },
	"Glob":         func(c call) Rule { return partly(c, "Read", approval.Read) },
	"LS":           func(c call) Rule { return partly(c, "Read", approval.Read) },
	"NotebookRead": func(c call) Rule { return partly(c, "Read", approval.Read) },

	"PowerShell": func(call) Rule {
		return none("approvald reads commands of bash, sh and zsh, and knows no rules for those of PowerShell")
	},
}

var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`) })

// translate is what one rule of a list is here.
func translate(effect, text, base string) Rule {
	c := call{effect: effects[effect], tool: text, bare: true, base: base}
	if name, rest, found := strings.Cut(text, "("); found {
		inner, closed := strings.CutSuffix(rest, ")")
		if !closed {
			return none("it is no rule: its parenthesis is not closed")
		}
		c.tool, c.specifier = name, unescape(inner)
		c.bare = c.specifier == "" || c.specifier == "*" // which mean the same to Claude Code
	}
	server, isMCP := strings.CutPrefix(c.tool, "mcp__")
	translateTool, known := tools[c.tool]
	switch {
	case isMCP:
		return mcp(c, server)
	case known:
		return translateTool(c)
	case !toolName().MatchString(c.tool):
		return none("it names no tool")
	case !c.bare:
		return none(fmt.Sprintf("no rule looks at the arguments of a tool; a rule can be about every call of %s", c.tool),
			toolRule(c, "*", c.tool))
	}
	return Rule{Rules: []policy.Rule{toolRule(c, "*", c.tool)}, Exact: true, Why: []string{
		"It also covers a tool of this name of any MCP server.",
	}}
}

// unescape removes the backslashes that Claude Code puts before parentheses
// and backslashes in a specifier.
func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\(`, `(`, `\)`, `)`).Replace(s)
}

// none is what cannot be said, with what comes nearest.
func none(why string, nearest ...policy.Rule) Rule {
	return Rule{Rules: nearest, Why: []string{sentence(why)}}
}

// sentence makes a sentence of its part.
func sentence(part string) string { return strings.ToUpper(part[:1]) + part[1:] + "." }

func toolRule(c call, server, tool string) policy.Rule {
	return policy.Rule{Effect: c.effect, Kind: approval.KindTool, Server: server, Tool: tool}
}

// mcp reads mcp__server, mcp__server__* and mcp__server__tool. The first two
// underscores end the server's name, as Claude Code reads it.
func mcp(c call, rest string) Rule {
	server, tool, _ := strings.Cut(rest, "__")
	if tool == "" {
		tool = "*"
	}
	switch {
	case server == "" || !toolName().MatchString("x"+server) && server != "*":
		return none("it names no MCP server")
	case !c.bare:
		return none("no rule looks at the arguments of a tool; a rule can be about every call", toolRule(c, server, tool))
	case server == "*" && tool == "*":
		return Rule{Rules: []policy.Rule{toolRule(c, "*", "*")}, Exact: true, Why: []string{
			"It also covers the tools that are of no MCP server.",
		}}
	case tool != "*" && strings.Contains(tool, "*"), server == "*":
		return none("a rule names one tool, or * for all tools of a server, and no part of a name", toolRule(c, server, "*"))
	}
	return Rule{Rules: []policy.Rule{toolRule(c, server, tool)}, Exact: true}
}

// webFetch reads WebFetch and WebFetch(domain:host).
func webFetch(c call) Rule {
	host := "*"
	if !c.bare {
		domain, found := strings.CutPrefix(c.specifier, "domain:")
		if !found || domain == "" {
			return none("a network rule is about a host, which Claude Code writes WebFetch(domain:example.org)")
		}
		host = domain
	}
	rule := policy.Rule{Effect: c.effect, Kind: approval.KindNetwork, Host: host}
	if inner := strings.TrimPrefix(host, "*."); host != "*" && strings.Contains(inner, "*") {
		return none("a rule names a host, or *.name for all names below one, and has no * in another place")
	}
	return Rule{Rules: []policy.Rule{rule}, Exact: true}
}
