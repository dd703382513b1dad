package web

import (
	"strings"
	"testing"

	"github.com/approvald/approvald/wire"
)

// Text of others is shown and does nothing, wherever it is.
func TestHostileTextIsInertAndVisible(t *testing.T) {
	const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>` + "\u202e\x1b[2J"
	in := open(t, nil)
	session := in.session(func(p *wire.SessionStartParams) { p.Name = strings.Map(printable, hostile) })
	text, err := wire.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	quoted := string(text)
	name, err := wire.Marshal(strings.Map(printable, hostile))
	if err != nil {
		t.Fatal(err)
	}
	addresses := []string{"/", "/sessions"}
	for i, subject := range []string{
		shell(hostile),
		`{"kind":"tool","serverName":` + string(name) + `,"toolName":` + string(name) + `,"arguments":{` + quoted + `:` + quoted + `}}`,
		`{"kind":"fileAccess","path":"/tmp/x","access":"write","diff":` + quoted + `}`,
		`{"kind":"nothing known","x":` + quoted + `}`,
	} {
		addresses = append(addresses, in.ask(session, "call"+itoa(int64(i)), subject, func(p *wire.ApprovalOpenParams) {
			p.ToolName, p.Reason, p.Justification, p.RawArgs = strings.Map(printable, hostile), hostile, hostile, `{"x":`+quoted+`}`
		}))
	}
	asked, err := in.agent.OpenInput(t.Context(), wire.UserInputOpenParams{
		SessionID: session, ToolCallID: "q1", ToolName: "ask", Questions: []wire.Question{{
			ID: "q", Header: hostile, Question: hostile, Selection: wire.Selection{Mode: wire.SelectSingle},
			Options: []wire.QuestionOption{{Label: hostile, Description: hostile, Preview: &wire.OptionPreview{Format: "html", Content: hostile}}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	prompt := "/prompt/" + session + "/" + asked.UserInputID
	addresses = append(addresses, prompt)
	goesTo(t, in.decide(addresses[2], 0, "abort", "feedback", hostile), "/")
	goesTo(t, in.post(prompt+"/clarify", "says", hostile), "/")
	addresses = append(addresses, "/history", "/activity", "/history?q="+"%22%3E%3Cscript%3Ealert(1)")
	for _, address := range addresses {
		page := in.page(address)
		for _, bad := range []string{"<script>alert", "<img src=x", "\u202e", "\x1b"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s has %q as it is", address, bad)
			}
		}
		if address != "/activity" {
			contains(t, page, "&lt;script&gt;alert(1)")
		}
	}
	contains(t, in.page(addresses[3]), `<span class="esc">&lt;U&#43;202E&gt;</span>`, `<span class="esc">&lt;U&#43;001B&gt;</span>`, `\u202e`)
	contains(t, in.get(addresses[3]+"/arguments").body, `<script>alert(1)</script>`, `\u001b`)
	if kind := in.get(addresses[3] + "/arguments").Header.Get("Content-Type"); kind != "text/plain; charset=utf-8" {
		t.Errorf("arguments as they came are %s", kind)
	}
}

// printable leaves out what a name may not have.
func printable(r rune) rune {
	if r == '\u202e' || r == '\x1b' {
		return -1
	}
	return r
}

// A mebibyte of arguments makes a page that a phone can show, says what it leaves out,
// and has all of it one step away.
func TestAMebibyteOfArgumentsIsCutAndSaid(t *testing.T) {
	in := open(t, nil)
	raw := `{"content":"` + strings.Repeat("0123456789abcde ", 60_000) + `"}`
	path := in.ask(in.session(nil), "c1", `{"kind":"tool","toolName":"write"}`, func(p *wire.ApprovalOpenParams) { p.RawArgs = raw })
	page := in.page(path)
	if len(page) > 400<<10 {
		t.Errorf("the page has %d bytes", len(page))
	}
	contains(t, page, "960,000 characters", "more bytes are not shown here", `href="`+path+`/arguments"`)
	if all := in.get(path + "/arguments").body; all != raw+"\n" {
		t.Errorf("all of it has %d bytes, want %d", len(all), len(raw)+1)
	}
	if list := in.page("/"); len(list) > 20<<10 {
		t.Errorf("the list has %d bytes", len(list))
	}
}
