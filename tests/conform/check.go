package conform

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/approvald/approvald/internal/record"
	"github.com/approvald/approvald/wire"
)

// message is a frame as far as it says which form it has.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Frame holds a frame of the daemon against the schema. Of a response it says whether it is one: what
// the result must be depends on the request (see [Result]).
func Frame(line []byte) error {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return err
	}
	form := "Response"
	switch {
	case m.Method != "" && m.ID != nil:
		form = "Request"
	case m.Method != "":
		form = "Notification"
	case m.Error != nil:
		form = "ErrorResponse"
	}
	if m.Method != "" {
		if spec, ok := wire.LookupMethod(m.Method); !ok || form == "Request" && spec.Kind != wire.ServerRequestMethod ||
			form == "Notification" && spec.Kind != wire.NotificationMethod {
			return fmt.Errorf("the daemon sent %s as a %s, which is not in the table of methods: %s", m.Method, form, clip(line))
		}
	}
	return strict().validate("/$defs/"+form, line)
}

// Result holds a result against that of a method.
func Result(method string, result []byte) error {
	if _, ok := wire.LookupMethod(method); !ok {
		return fmt.Errorf("a request for %s was answered, which is no method: %s", method, clip(result))
	}
	return strict().validate("/methods/"+escape(method)+"/result", result)
}

// Params holds what a client sent against the params of a method. No params are an empty object, and
// so is null, which is taken though nobody should send it.
func Params(method string, params []byte) error {
	if len(params) == 0 || string(params) == "null" {
		params = []byte("{}")
	}
	index := "/methods/"
	if spec, ok := wire.LookupMethod(method); ok && spec.Kind == wire.ClientNotificationMethod {
		index = "/clientNotifications/"
	}
	return open().validate(index+escape(method)+"/params", params)
}

// Record holds the body of a record against that of its kind.
func Record(kind record.Kind, body []byte) error {
	return strict().validate("/records/"+kind.String()+"/body", body)
}

// AuditLine holds a line of `approvald audit --json` against the schema.
func AuditLine(line []byte) error { return strict().validate("/auditLine", line) }

// escape writes a name as a part of a JSON pointer, in a URL.
func escape(name string) string { return strings.ReplaceAll(name, "/", "~1") }
