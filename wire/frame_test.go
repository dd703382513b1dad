package wire

import (
	"encoding/json"
	"testing"
)

func TestFramesHaveTheMemberOrderOfTheSeed(t *testing.T) {
	decide := ApprovalDecideResult{Ack: Accepted(seedCommand), ApprovalID: seedApproval, Terminal: true}
	cases := []struct {
		name  string
		frame any
		want  string
	}{
		{"the ack of seed 003", Response{Version, json.RawMessage(`"b9"`), decide},
			`{"jsonrpc":"2.0","id":"b9","result":{"commandId":"018f6a2a-3333-7abc-8def-00000000d001","status":"accepted","approvalId":"0198f0ac-7777-7000-8000-0000000000e1","terminal":true}}`},
		{"a request", Request{Version, json.RawMessage(`-1`), MethodViewUnsubscribe, ViewUnsubscribeParams{"s1"}},
			`{"jsonrpc":"2.0","id":-1,"method":"view/unsubscribe","params":{"sessionId":"s1"}}`},
		{"a notification with its time", Notification{Version, MethodSessionClosed, json.RawMessage(`{"sessionId":"a&b"}`), 1767323045678},
			`{"jsonrpc":"2.0","method":"session/closed","params":{"sessionId":"a&b"},"emittedAtMs":1767323045678}`},
		{"a notification without params", Notification{JSONRPC: Version, Method: MethodInitialized},
			`{"jsonrpc":"2.0","method":"initialized"}`},
		{"an error whose id is lost", ErrorResponse{JSONRPC: Version, Error: NewError(CodeParseError, "no JSON")},
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON","data":{"kind":"parseError","retryable":false}}}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := Marshal(c.frame)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestRequestDecodesParamsIntoAGivenPointer(t *testing.T) {
	var params ViewUnsubscribeParams
	frame := Request{Params: &params}
	if err := json.Unmarshal([]byte(`{"jsonrpc":"2.0","id":"1","method":"view/unsubscribe","params":{"sessionId":"s1"}}`), &frame); err != nil {
		t.Fatal(err)
	}
	if params.SessionID != "s1" || string(frame.ID) != `"1"` {
		t.Errorf("got params %+v, id %s", params, frame.ID)
	}
}
