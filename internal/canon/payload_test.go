package canon

import (
	"encoding/hex"
	"strings"
	"testing"
)

// TestPayloadGolden holds what the signature covers: signatures are kept in logs, so these values
// may never change. The comments are the texts to pipe into sha256sum.
func TestPayloadGolden(t *testing.T) {
	tests := []struct{ name, method, params, want string }{
		// {"method":"approval/decide","params":{"a":{"z":null},"choiceId":"allow_once"}}
		{"a command", "approval/decide", `{"commandId":"c1", "choiceId":"allow_once","feedback":null,"a":{"z":null}}`,
			"72680de05029d0f916b78e7d2898bce66e39ebb3294bb1c1c693de6b3d33484e"},
		// {"method":"initialized","params":{}}
		{"no params", "initialized", ``,
			"017755c5b02f14dbdfd381702c6bc9d6eb7e1c55b8870b80a40e870a6237a21e"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Payload(tt.method, []byte(tt.params))
			if err != nil {
				t.Fatal(err)
			}
			if hex.EncodeToString(got[:]) != tt.want {
				t.Errorf("got %x, want %s", got, tt.want)
			}
		})
	}
}

func TestPayloadSame(t *testing.T) {
	tests := []struct{ name, a, b string }{
		{"another commandId", `{"commandId":"c1","x":1}`, `{"commandId":"c2","x":1}`},
		{"no commandId", `{"commandId":"c1","x":1}`, `{"x":1}`},
		{"a commandId of any type", `{"commandId":{"a":[1,{}]},"x":1}`, `{"x":1}`},
		{"another order", `{"x":1,"y":{"a":1,"b":2}}`, `{"y":{"b":2,"a":1},"x":1}`},
		{"another spelling of strings and white space", `{"x":"A/"}`, `{ "\u0078" : "\u0041\/" }`},
		{"a top-level null for an absent member", `{"feedback":null,"x":1,"z":null}`, `{"x":1}`},
		{"nothing but nulls", `{"a":null,"commandId":"c1"}`, `{}`},
		{"params absent", ``, `{}`},
		{"params null", `null`, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if mustPayload(t, "m", tt.a) != mustPayload(t, "m", tt.b) {
				t.Errorf("%s and %s are different payloads, want the same", tt.a, tt.b)
			}
		})
	}
}

func TestPayloadDifferent(t *testing.T) {
	tests := []struct{ name, a, b string }{
		{"another value", `{"x":1}`, `{"x":2}`},
		{"another spelling of a number", `{"x":1}`, `{"x":1.0}`},
		{"the number and its string", `{"x":1}`, `{"x":"1"}`},
		{"a null further down", `{"x":{"y":null}}`, `{"x":{}}`},
		{"a null in an array", `{"x":[null]}`, `{"x":[]}`},
		{"the string null", `{"x":"null"}`, `{}`},
		{"a string that ends like a null member", `{"x":"\":null"}`, `{}`},
		{"a commandId further down", `{"x":{"commandId":"c1"}}`, `{"x":{}}`},
		{"a name that begins with commandId", `{"commandId2":1}`, `{}`},
		{"an explicit false", `{"any":false}`, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if mustPayload(t, "m", tt.a) == mustPayload(t, "m", tt.b) {
				t.Errorf("%s and %s are the same payload, want different ones", tt.a, tt.b)
			}
		})
	}
	t.Run("another method", func(t *testing.T) {
		if mustPayload(t, "m", `{}`) == mustPayload(t, "n", `{}`) {
			t.Error("methods m and n make the same payload")
		}
	})
}

func TestPayloadRefuses(t *testing.T) {
	tests := []struct{ name, method, params, wantText string }{
		{"an array", "m", `[]`, "params of m: not an object"},
		{"a string", "m", `"{}"`, "params of m: not an object"},
		{"a duplicate name", "m", `{"a":1,"a":1}`, `duplicate object member name "a"`},
		{"a truncated text", "m", `{"a"`, "not a JSON text"},
		{"a method that is not UTF-8", "m\xff", `{}`, "method name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Payload(tt.method, []byte(tt.params))
			if err == nil || !strings.Contains(err.Error(), tt.wantText) {
				t.Errorf("error %v does not say %q", err, tt.wantText)
			}
		})
	}
}

func mustPayload(t *testing.T, method, params string) [32]byte {
	t.Helper()
	sum, err := Payload(method, []byte(params))
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
